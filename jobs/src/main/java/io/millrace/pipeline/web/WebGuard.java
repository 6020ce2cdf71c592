package io.millrace.pipeline.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.serve.TcpUsers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelDuplexHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPromise;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.FullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderValues;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.cookie.Cookie;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The guard of one connection to Flink's HTTP server. It sees each request before Flink reads its content, and each answer after
 * Flink has made it. Only the connection's own thread calls it.
 *
 * <p>Tested by {@code EmbeddedWebITCase}.
 */
final class WebGuard extends ChannelDuplexHandler {
    private static final Logger LOG = LoggerFactory.getLogger(WebGuard.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RESOURCE_POLICY = "Cross-Origin-Resource-Policy";

    private final WebRules rules;

    /** Whether a request was not admitted. What follows on this connection is dropped until it is closed. */
    private boolean refused;

    /** The user of the other side; null before it was looked up. */
    private @Nullable OptionalLong sender;

    WebGuard(WebRules rules) {
        this.rules = rules;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!refused && message instanceof HttpRequest request) {
            WebRules.Verdict verdict = request.decoderResult().isSuccess()
                    ? rules.judge(described(context, request), () -> sender(context))
                    : new WebRules.Refused("expected an HTTP request, found: "
                            + request.decoderResult().cause());
            if (verdict instanceof WebRules.Refused refusal) {
                LOG.info("refused {} {}: {}", request.method(), request.uri(), refusal.sentence());
                refused = true;
                answer(context, refusal(refusal.sentence()));
            } else if (verdict instanceof WebRules.Redirected redirected) {
                refused = true;
                answer(context, redirection(context, redirected.path()));
            }
        }
        if (refused) {
            ReferenceCountUtil.release(message);
        } else {
            context.fireChannelRead(message);
        }
    }

    private static WebRules.Request described(ChannelHandlerContext context, HttpRequest request) {
        String name = cookieName(context);
        return new WebRules.Request(
                request.method().name(),
                request.uri(),
                request.headers().getAll(HttpHeaderNames.HOST),
                request.headers().getAll(HttpHeaderNames.ORIGIN),
                request.headers().get(WebRules.HEADER),
                request.headers().getAll(HttpHeaderNames.COOKIE).stream()
                        .flatMap(header -> ServerCookieDecoder.STRICT.decodeAll(header).stream())
                        .filter(cookie -> cookie.name().equals(name))
                        .map(Cookie::value)
                        .findFirst()
                        .orElse(null));
    }

    private static String cookieName(ChannelHandlerContext context) {
        return WebRules.COOKIE + ((InetSocketAddress) context.channel().localAddress()).getPort();
    }

    private OptionalLong sender(ChannelHandlerContext context) {
        OptionalLong known = sender;
        if (known == null) {
            try {
                known = TcpUsers.of((InetSocketAddress) context.channel().remoteAddress(), (InetSocketAddress)
                        context.channel().localAddress());
            } catch (IOException e) {
                LOG.warn("the user of a request to the web UI is not known: {}", e.toString(), e);
                known = OptionalLong.empty();
            }
            sender = known;
        }
        return known;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the connection is closed after a failure too
    private static void answer(ChannelHandlerContext context, FullHttpResponse response) {
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        response.headers()
                .setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    /** Returns an answer in the form of Flink's errors, whose text Flink's clients print. */
    private static FullHttpResponse refusal(String sentence) {
        try {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    HttpResponseStatus.FORBIDDEN,
                    Unpooled.copiedBuffer(
                            JSON.writeValueAsString(Map.of("errors", List.of(sentence))), StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json; charset=UTF-8");
            return response;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a sentence that is no JSON text: " + sentence, e);
        }
    }

    private FullHttpResponse redirection(ChannelHandlerContext context, String path) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.SEE_OTHER, Unpooled.EMPTY_BUFFER);
        // One slash at the beginning, because two would begin the name of another host.
        response.headers().set(HttpHeaderNames.LOCATION, "/" + path.replaceAll("^/+", ""));
        response.headers()
                .set(
                        HttpHeaderNames.SET_COOKIE,
                        cookieName(context) + "=" + rules.secret() + "; Path=/; HttpOnly; SameSite=Lax");
        return response;
    }

    /** Removes Flink's permission for web pages of all origins to read the answer. */
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        if (message instanceof HttpResponse response) {
            response.headers().remove(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN);
            response.headers().set(RESOURCE_POLICY, "same-origin");
        }
        super.write(context, message, promise);
    }
}
