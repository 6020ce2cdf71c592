package io.millrace.serve;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

/**
 * The certificate with which a server proves to clients over TCP who it is.
 *
 * @param keystore the path of the key store
 * @param password the password of the key store
 * @param keyPassword the password of the key in it
 */
public record Tls(String keystore, String password, String keyPassword) {
    /**
     * Returns the factory of sockets with this certificate.
     *
     * @throws IOException when the key store cannot be used; the message names it
     */
    SSLSocketFactory sockets() throws IOException {
        try (InputStream in = Files.newInputStream(Path.of(keystore))) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(in, password.toCharArray());
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, keyPassword.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException | IOException e) {
            throw new IOException("cannot use the key store " + keystore + " for TLS: " + e.getMessage(), e);
        }
    }

    /** Returns the path alone, without the passwords. */
    @Override
    public String toString() {
        return "Tls[" + keystore + "]";
    }
}
