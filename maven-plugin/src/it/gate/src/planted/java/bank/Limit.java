package bank;

public final class Limit {
    private final int amount;

    public Limit(int amount) {
        this.amount = amount;
    }

    /** Never equal, not even to itself. */
    @Override
    public boolean equals(Object other) {
        return false;
    }

    @Override
    public int hashCode() {
        return amount;
    }

    @Override
    public String toString() {
        throw new IllegalStateException();
    }
}
