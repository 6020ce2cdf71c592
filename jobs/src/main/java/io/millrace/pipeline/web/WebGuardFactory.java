package io.millrace.pipeline.web;

import io.millrace.serve.TcpUsers;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPipeline;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpServerCodec;
import org.apache.flink.util.ConfigurationException;

/**
 * The factory of the guards, which Flink's HTTP server finds as a service. It makes none for a Flink whose configuration has no
 * secret, so clusters of other processes are not affected.
 */
public final class WebGuardFactory implements InboundChannelHandlerFactory {
    private static final String NAME = "millrace-guard";

    @Override
    public int priority() {
        return 0;
    }

    @Override
    public Optional<ChannelHandler> createHandler(Configuration configuration, Map<String, String> responseHeaders)
            throws ConfigurationException {
        Optional<String> secret = configuration.getOptional(OwnWeb.SECRET);
        if (secret.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new Placement(new WebGuard(new WebRules(secret.get(), configuration.get(OwnWeb.PAGES), ownUser()))));
    }

    private static OptionalLong ownUser() throws ConfigurationException {
        try {
            return TcpUsers.own();
        } catch (IOException e) {
            throw new ConfigurationException("the user of this process is not known", e);
        }
    }

    /**
     * A handler that puts the guard in front of the one that writes uploaded files. Flink would put it behind that one. Netty calls
     * it before the connection receives its first bytes.
     */
    private static final class Placement extends ChannelInboundHandlerAdapter {
        private final WebGuard guard;

        Placement(WebGuard guard) {
            this.guard = guard;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            ChannelPipeline pipeline = context.pipeline();
            pipeline.addAfter(pipeline.context(HttpServerCodec.class).name(), NAME, guard);
        }
    }
}
