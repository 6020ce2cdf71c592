package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReleaseTest {
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", ".dev0", "-SNAPSHOT", "rc1", "+local"})
    void theSameNumbersAreTheSameRelease(@Nullable String rest) throws Exception {
        Release.requireSame(rest == null ? null : Release.own() + rest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "main", "0", "9.9.9", "v1", "0.1.00"})
    void otherNumbersAreAnotherRelease(String version) {
        assertThatThrownBy(() -> Release.requireSame(version))
                .isInstanceOf(Refusal.class)
                .hasMessage("the client is of Millrace " + version + ", this server of Millrace " + Release.own()
                        + ": install both from the same release");
    }

    @Test
    void moreNumbersAreAnotherReleaseAndALongTextIsShortened() {
        assertThatThrownBy(() -> Release.requireSame(Release.own() + ".1")).isInstanceOf(Refusal.class);
        assertThatThrownBy(() -> Release.requireSame("9".repeat(5000)))
                .hasMessageContaining("Millrace " + "9".repeat(40) + "..., this server");
    }

    @Test
    void thePythonPackageIsOfThisRelease() throws Exception {
        Matcher version = Pattern.compile("^__version__ = \"(.*)\"$", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../python/millrace/_version.py")));

        assertThat(version.find()).isTrue();
        Release.requireSame(version.group(1));
    }
}
