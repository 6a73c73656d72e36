package randgen.runtime;

/** Ends a sequence that executed more probes than it may. */
public final class BudgetExceeded extends Error {
    private static final long serialVersionUID = 1;

    BudgetExceeded() {
        super(null, null, false, false);
    }
}
