package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServingTest {
    @Test
    void tokenIsThatOfTheUserOrNew() {
        String given = "0123456789abcdef0123456789abcdef";
        assertThat(Serving.token(given)).isEqualTo(given);
        assertThat(Serving.token(null)).matches("[0-9a-f]{32}").isNotEqualTo(Serving.token(""));
    }

    @Test
    void tokenMayBeInAFile(@TempDir Path folder) throws Exception {
        String given = "0123456789abcdef0123456789abcdef";
        Path file = Files.writeString(folder.resolve("serve.token"), given + "\n");
        assertThat(Serving.token(file.toString())).isEqualTo(given);
    }

    @Test
    void tokenThatIsNoneIsRefusedWithoutBeingShown() {
        assertThatThrownBy(() -> Serving.token("secret"))
                .isInstanceOf(UsageException.class)
                .hasMessage("the variable MILLRACE_TOKEN is not a token: expected 32 hexadecimal digits in lower case,"
                        + " or a file that contains them, found 6 characters");
    }
}
