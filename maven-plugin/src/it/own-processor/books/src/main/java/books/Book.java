package books;

/** Uses what the processor of the same build writes. */
@Deprecated
public class Book {
    private final int pages;

    public Book(int pages) {
        this.pages = pages;
    }

    public String title() {
        return BookTitles.title(pages);
    }
}
