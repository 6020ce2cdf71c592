package io.millrace.sample;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import org.junit.jupiter.api.Test;

class FirstBytesTest {
    private static String describe(String bytes, Charset charset) {
        return FirstBytes.describe(bytes.getBytes(charset));
    }

    @Test
    void kindIsNamedAndNoByteIsShown() {
        assertThat(describe("root:$6$salt$hash:19000:0:99999:7:::\n", UTF_8)).isEqualTo("37 bytes of text");
        assertThat(describe("-----BEGIN OPENSSH PRIVATE KEY-----\r\n\tb3BlbnNz", UTF_8))
                .isEqualTo("46 bytes of text");
        assertThat(describe("\u007fELF\2\1\1", ISO_8859_1)).isEqualTo("7 bytes of an unknown kind");
        assertThat(describe("\u00ff\u00fe\u00fd\u00fc", ISO_8859_1)).isEqualTo("4 bytes of an unknown kind");
        assertThat(describe("\ufeff<!DOCTYPE html>", UTF_8)).isEqualTo("18 bytes that begin like HTML");
        assertThat(describe("version https://git-lfs.github.com/spec/v1\n", UTF_8))
                .isEqualTo("43 bytes that begin like a Git LFS pointer");
        assertThat(describe("\0\0\0", UTF_8)).isEqualTo("3 bytes that are all 0");
        assertThat(describe("", UTF_8)).isEqualTo("0 bytes");
    }

    @Test
    void textMayBeCutWithinACharacter() {
        String text = "x".repeat(1_023) + "\u00e9";
        assertThat(describe(text, UTF_8)).isEqualTo("1,025 bytes of text");
        assertThat(describe("\u00e9" + text, ISO_8859_1)).isEqualTo("1,025 bytes of an unknown kind");
    }
}
