/** Everything that a splice moves, at least once; prints what it computes. */
public class Behaviour {
    interface Shape {
        default int area(int a) {
            return a > 2 ? a : -a;
        }

        static long half(long a) {
            return a > 9L ? a / 2 : a;
        }
    }

    enum Color { RED, GREEN }

    static class Named {
        final String text;

        Named(String text) {
            this.text = text == null ? "none" : text;
        }

        Named(int n) {
            this(n > 3 ? "many" : n == 0 ? null : "few");
        }
    }

    static int texts(String text) {
        switch (text) {
            case "Aa":
                return 1;
            case "BB":
                return 2;
            case "other":
                return 3;
            default:
                return text.startsWith("x") ? 4 : 5;
        }
    }

    static String colors(Color color) {
        switch (color) {
            case RED:
                return "r";
            default:
                return "g";
        }
    }

    static int sparse(int a) {
        int sum = 0;
        for (int i = 0; i < a; i++) {
            switch (i * 1000) {
                case 0:
                    sum += 1;
                case 3000:
                    sum += 2;
                    break;
                case -5:
                    sum = 9;
                default:
                    continue;
            }
            switch (i) {
                case 1:
                case 2:
                    sum++;
                    break;
                case 4:
                    sum--;
            }
        }
        return sum;
    }

    static double numbers(double d, float f, long l) {
        double r = 0;
        while (d > 0.5 && l != 3) {
            d /= 2;
            r += f < 1 ? 1 : f >= 2 ? 2 : 3;
            l--;
        }
        return Double.isNaN(d) ? -1 : r;
    }

    static int tries(Object o) {
        int n = 0;
        for (int i = 0; i < 3; i++) {
            try {
                try {
                    n += o.hashCode() == 7 ? 1 : 2;
                    if (i == 1) {
                        throw new IllegalStateException("i" + i);
                    }
                } finally {
                    n += 10;
                    if (i == 2) {
                        continue;
                    }
                }
            } catch (IllegalStateException | NullPointerException e) {
                n += 100;
            }
            synchronized (Behaviour.class) {
                n++;
                if (n > 300) {
                    break;
                }
            }
        }
        return n;
    }

    /** The loop's head is the first instruction. */
    static int loopAtEntry(int a) {
        do {
            a = a > 10 ? a - 3 : a - 1;
        } while (a > 0);
        return a;
    }

    public static void main(String[] arguments) {
        Shape shape = new Shape() {};
        System.out.println(shape.area(1) + " " + shape.area(5) + " " + Shape.half(20) + " " + Shape.half(2));
        for (String text : new String[] {"Aa", "BB", "other", "xyz", ""}) {
            System.out.println(texts(text));
        }
        System.out.println(colors(Color.RED) + colors(Color.valueOf("GREEN")) + sparse(8) + " " + loopAtEntry(25));
        System.out.println(numbers(1e9, 1.5f, 99) + " " + numbers(3, 2.5f, 9) + " " + numbers(Double.NaN, 0, 0));
        System.out.println(tries(7) + " " + tries("x") + " " + tries(null));
        System.out.println(new Named(5).text + new Named(1).text + new Named(arguments.length > 0 ? 1 : 0).text);
        Runnable task = () -> System.out.println(arguments.length > 0 ? "some" : "none");
        task.run();
        System.out.println(Wide.compare(3, 4.5) + " " + Wide.compare(-3, 0));
    }
}
