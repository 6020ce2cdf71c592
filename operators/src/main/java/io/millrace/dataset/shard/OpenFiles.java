package io.millrace.dataset.shard;

import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Segments;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a dataset, each of which is opened when it is first read. Only a limited number of files stays open:
 * beyond the limit, the file that was opened first is closed as soon as no thread reads it. Safe for several threads.
 */
public final class OpenFiles implements Closeable {
    /** The default limit. A process may usually have 1024 or more open files, and a JVM needs some hundred of them. */
    private static final int DEFAULT_MOST_OPEN = 512;

    private final List<DataFile> files;
    private final int mostOpen;
    private final Map<Integer, Lease> open = new HashMap<>();
    private final Deque<Integer> order = new ArrayDeque<>();
    private boolean closed;

    /** An open file that a thread reads. The thread closes the lease soon. */
    public final class Lease implements Closeable {
        private final RangedFile file;
        private int readers;
        private boolean retired;

        private Lease(RangedFile file) {
            this.file = file;
        }

        /** Returns the file, which stays open until this lease is closed. */
        public RangedFile file() {
            return file;
        }

        @Override
        public void close() throws IOException {
            release(this);
        }
    }

    /** Creates the object without opening a file. Files are identified by their number in the list. */
    public OpenFiles(List<DataFile> files) {
        this(files, DEFAULT_MOST_OPEN);
    }

    OpenFiles(List<DataFile> files, int mostOpen) {
        this.files = List.copyOf(files);
        this.mostOpen = mostOpen;
    }

    /** Returns a lease of the file with the given number, and opens the file if necessary. */
    public Lease lease(int number) throws IOException {
        Lease known = acquire(number);
        if (known != null) {
            return known;
        }
        RangedFile file = files.get(number).open();
        List<RangedFile> toClose = new ArrayList<>();
        Lease lease = add(number, file, toClose);
        for (RangedFile one : toClose) {
            one.close();
        }
        return lease;
    }

    /**
     * Returns a view of the file with the given number. When too many files are open, the file behind the view is
     * closed, and the next read opens it again. Closing the view does not affect other readers of the file.
     *
     * @throws IOException when the file cannot be opened
     */
    public RangedFile file(int number) throws IOException {
        try (Lease lease = lease(number)) {
            return new FileView(number, lease.file().name(), lease.file().size());
        }
    }

    private synchronized @Nullable Lease acquire(int number) throws IOException {
        if (closed) {
            throw new IOException("the dataset is closed");
        }
        Lease lease = open.get(number);
        if (lease != null) {
            lease.readers++;
        }
        return lease;
    }

    private synchronized Lease add(int number, RangedFile file, List<RangedFile> toClose) {
        Lease lease = open.get(number);
        if (lease != null) {
            // Another thread opened the file first.
            toClose.add(file);
        } else {
            lease = new Lease(file);
            if (closed) {
                lease.retired = true;
            } else {
                open.put(number, lease);
                order.add(number);
                retire(toClose);
            }
        }
        lease.readers++;
        return lease;
    }

    private void retire(List<RangedFile> toClose) {
        while (open.size() > mostOpen) {
            Lease oldest = open.remove(order.remove());
            if (oldest != null) {
                oldest.retired = true;
                if (oldest.readers == 0) {
                    toClose.add(oldest.file);
                }
            }
        }
    }

    private void release(Lease lease) throws IOException {
        boolean last;
        synchronized (this) {
            lease.readers--;
            last = lease.retired && lease.readers == 0;
        }
        if (last) {
            lease.file.close();
        }
    }

    private void close(int number) throws IOException {
        RangedFile toClose = null;
        synchronized (this) {
            Lease lease = open.remove(number);
            if (lease != null) {
                order.remove(number);
                lease.retired = true;
                toClose = lease.readers == 0 ? lease.file : null;
            }
        }
        if (toClose != null) {
            toClose.close();
        }
    }

    /** Closes the files that no thread reads. A file that a thread is reading is closed when that thread is done. */
    @Override
    public void close() throws IOException {
        List<RangedFile> toClose = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Lease lease : open.values()) {
                lease.retired = true;
                if (lease.readers == 0) {
                    toClose.add(lease.file);
                }
            }
            open.clear();
            order.clear();
        }
        for (RangedFile file : toClose) {
            file.close();
        }
    }

    /** A view of a file. A read opens the file again if it was closed in between. */
    private final class FileView implements RangedFile {
        private final int number;
        private final String name;
        private final long size;

        /**
         * Whether the view is closed. Volatile: the closing thread sets it, so that a reader on another thread does not
         * open the file again.
         */
        private volatile boolean closed;

        FileView(int number, String name, long size) {
            this.number = number;
            this.name = name;
            this.size = size;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void read(long position, byte[] target, int from, int count) throws IOException {
            try (Lease lease = unchanged()) {
                lease.file().read(position, target, from, count);
            }
        }

        @Override
        public @Nullable Segments map() throws IOException {
            try (Lease lease = unchanged()) {
                return lease.file().map();
            }
        }

        private Lease unchanged() throws IOException {
            if (closed) {
                throw new IOException(name + " is closed");
            }
            Lease lease = lease(number);
            if (lease.file().size() == size) {
                return lease;
            }
            try (lease) {
                throw new IOException(name + " had " + size + " bytes when it was first opened and has "
                        + lease.file().size() + " now: it has changed meanwhile");
            }
        }

        @Override
        public void close() throws IOException {
            closed = true;
            OpenFiles.this.close(number);
        }
    }
}
