package io.millrace.config;

/**
 * The catalogs and the list of problems that all sections of one file share while the file is read.
 *
 * @param catalogs the components that the file may name
 * @param problems the list to which every problem of the file is added
 * @param generated the folders that are generated at the first use
 */
record Reading(Catalogs catalogs, Problems problems, GeneratedFolders generated) {}
