package io.millrace.diagnosis.planted;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** Found by Flink as a service, for addresses that begin with {@code throttled://}. */
public final class ThrottledFilesFactory implements FileSystemFactory {
    @Override
    public String getScheme() {
        return ThrottledFiles.SCHEME;
    }

    @Override
    public FileSystem create(URI address) throws IOException {
        return new ThrottledFiles(address);
    }
}
