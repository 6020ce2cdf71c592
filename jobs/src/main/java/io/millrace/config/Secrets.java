package io.millrace.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.flink.configuration.GlobalConfiguration;
import org.jspecify.annotations.Nullable;

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

    /** What {@link #masked} leaves of a secret: a whole value, a user and a password, or a parameter of a URL. */
    private static final Pattern MASKED = Pattern.compile("^\\*{6}$|://\\*{6}@|=\\*{6}(?![^&#\\s])");

    private Secrets() {}

    /** Returns a setting {@code key=value} without secrets. */
    static String maskedSetting(String setting) {
        int equals = setting.indexOf('=');
        return equals < 0
                ? masked(setting)
                : setting.substring(0, equals + 1)
                        + masked(setting.substring(0, equals), setting.substring(equals + 1));
    }

    /** Returns the value of a key without secrets. */
    static String masked(String key, String value) {
        return GlobalConfiguration.isSensitive(key) || ACCESS_KEY.matcher(key).find() ? MASK : masked(value);
    }

    /** Returns a text without the passwords and signatures of the URLs in it. */
    static String masked(String text) {
        String withoutPasswords = PASSWORD.matcher(text).replaceAll("$1" + MASK + "@");
        return SIGNATURE.matcher(withoutPasswords).replaceAll("$1" + MASK);
    }

    /**
     * Returns the keys of masked values, in the order of the mapping. Keys within keys follow a dot, and entries of lists have
     * their number, as in {@code --set}.
     */
    static List<String> maskedKeys(Map<String, ?> values) {
        List<String> keys = new ArrayList<>();
        addMaskedKeys("", values, keys);
        return keys;
    }

    private static void addMaskedKeys(String path, @Nullable Object value, List<String> keys) {
        if (value instanceof String text && MASKED.matcher(text).find()) {
            keys.add(path);
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                addMaskedKeys(YamlTree.join(path, String.valueOf(i)), list.get(i), keys);
            }
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, one) -> addMaskedKeys(YamlTree.join(path, String.valueOf(key)), one, keys));
        }
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
