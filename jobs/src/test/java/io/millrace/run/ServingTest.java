package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ServingTest {
    @Test
    void tokenIsThatOfTheUserOrNew() {
        String given = "0123456789abcdef0123456789abcdef";
        assertThat(Serving.token(given)).isEqualTo(given);
        assertThat(Serving.token(null)).matches("[0-9a-f]{32}").isNotEqualTo(Serving.token(""));
    }

    @Test
    void tokenThatIsNoneIsRefusedWithoutBeingShown() {
        assertThatThrownBy(() -> Serving.token("secret"))
                .isInstanceOf(UsageException.class)
                .hasMessage("the variable MILLRACE_TOKEN is not a token: expected 32 hexadecimal digits in lower case,"
                        + " found 6 characters");
    }
}
