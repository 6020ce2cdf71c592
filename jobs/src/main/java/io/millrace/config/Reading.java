package io.millrace.config;

/**
 * The catalogs and the list of problems that all sections of one file share while the file is read.
 *
 * @param catalogs the names that the file may choose from
 * @param problems collects every fault of the file
 */
record Reading(Catalogs catalogs, Problems problems) {}
