package io.millrace.dataset.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;

/** A {@link RangedFile} as a channel. For one thread; it does not own the file. */
final class RangedFileChannel implements SeekableByteChannel {
    private final RangedFile file;
    private long position;
    private boolean open = true;

    RangedFileChannel(RangedFile file) {
        this.file = file;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        requireOpen();
        long left = file.size() - position;
        if (left <= 0) {
            return -1;
        }
        int count = (int) Math.min(left, target.remaining());
        if (target.hasArray()) {
            file.read(position, target.array(), target.arrayOffset() + target.position(), count);
            target.position(target.position() + count);
        } else {
            target.put(file.read(position, count));
        }
        position += count;
        return count;
    }

    @Override
    public int write(ByteBuffer source) {
        throw new NonWritableChannelException();
    }

    @Override
    public long position() throws IOException {
        requireOpen();
        return position;
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws IOException {
        requireOpen();
        if (newPosition < 0) {
            throw new IllegalArgumentException("expected a position of 0 or more, found " + newPosition);
        }
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException {
        requireOpen();
        return file.size();
    }

    @Override
    public SeekableByteChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }

    private void requireOpen() throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
    }
}
