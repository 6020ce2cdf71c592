package io.millrace.diagnosis.advice;

import java.util.List;

/** Looks for one thing that may be changed. Pure. */
@FunctionalInterface
interface Rule {
    List<Advice> advise(Situation situation);
}
