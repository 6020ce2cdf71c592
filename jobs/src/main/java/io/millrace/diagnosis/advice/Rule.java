package io.millrace.diagnosis.advice;

import java.util.List;

/** A rule that looks for one kind of change. Pure. */
@FunctionalInterface
interface Rule {
    /** Returns the changes that this rule proposes, or an empty list. */
    List<Advice> advise(Situation situation);
}
