package io.millrace.option;

import java.util.ServiceLoader;

/**
 * The search for the implementations of an interface, such as formats and transforms, on the class path and in the
 * user's jars. On a cluster, only the class loader of a job's threads finds the job's jars, while our interfaces are on
 * the cluster's class path.
 */
public final class Services {
    private Services() {}

    /**
     * Returns the implementations that this thread's class loader finds in jars and on the class path. Iteration
     * creates each of them.
     */
    public static <S> ServiceLoader<S> of(Class<S> service) {
        ClassLoader own = service.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return ServiceLoader.load(service, context != null && finds(context, service) ? context : own);
    }

    /** Returns whether a loader finds the service. The loaders of pool threads may have no copy or another copy of it. */
    private static boolean finds(ClassLoader loader, Class<?> service) {
        try {
            return Class.forName(service.getName(), false, loader) == service;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
