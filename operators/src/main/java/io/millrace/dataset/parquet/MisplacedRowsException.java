package io.millrace.dataset.parquet;

/** A page whose rows differ from those that the offset index or the page's header states. */
final class MisplacedRowsException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    MisplacedRowsException(String reason) {
        super(reason);
    }
}
