package io.millrace.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.flink.configuration.GlobalConfiguration;

/** Secrets in settings, and the mask that REST, logs and the files of a run show in their place. Pure. */
final class Secrets {
    static final String MASK = "******";

    /** The keys of access keys, such as {@code s3.access-key}, which Flink does not consider sensitive. */
    private static final Pattern ACCESS_KEY = Pattern.compile("access[-._]?key", Pattern.CASE_INSENSITIVE);

    /** A user and a password in a URL. In {@code abfs://container@account} there is no password. */
    private static final Pattern PASSWORD = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*://)[^/?#\\s:]*:[^/?#\\s]*@");

    /** The parameter of a signed URL that makes it valid. */
    private static final Pattern SIGNATURE = Pattern.compile(
            "([?&](?:sig|signature|x-amz-signature|x-amz-security-token)=)[^&#\\s]*", Pattern.CASE_INSENSITIVE);

    private Secrets() {}

    /** Returns the value of a key without secrets. */
    static String masked(String key, String value) {
        return GlobalConfiguration.isSensitive(key) || ACCESS_KEY.matcher(key).find() ? MASK : masked(value);
    }

    /** Returns a text without the passwords and signatures of the URLs in it. */
    static String masked(String text) {
        String withoutPasswords = PASSWORD.matcher(text).replaceAll("$1" + MASK + "@");
        return SIGNATURE.matcher(withoutPasswords).replaceAll("$1" + MASK);
    }

    /** Returns mappings, lists and texts without the passwords and signatures of the URLs in them. */
    static Object maskedValue(Object value) {
        if (value instanceof String text) {
            return masked(text);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Secrets::maskedValue).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, one) -> copy.put(key, maskedValue(one)));
            return copy;
        }
        return value;
    }
}
