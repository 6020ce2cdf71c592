package io.millrace.option;

import java.util.ServiceLoader;

/**
 * What jars offer under the name of an interface, as formats and transforms. Where a job runs on a cluster, its own jars
 * are known to the class loader of its threads alone, while our interfaces belong to the cluster's class path.
 */
public final class Services {
    private Services() {}

    /** The offers of this thread's jars and of the class path, each made when it is iterated to. */
    public static <S> ServiceLoader<S> of(Class<S> service) {
        ClassLoader own = service.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return ServiceLoader.load(service, context != null && sees(context, service) ? context : own);
    }

    /** Threads of pools may have a loader that knows nothing of us, or that has another copy of us. */
    private static boolean sees(ClassLoader loader, Class<?> service) {
        try {
            return Class.forName(service.getName(), false, loader) == service;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
