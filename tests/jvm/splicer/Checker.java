import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarFile;

/**
 * {@code Checker link JAR…} prints the classes of the jars that link, which includes verification, without running
 * anything of them. {@code Checker run JAR…} runs a piece of H2 and Joda-Time and prints what they answer.
 */
public final class Checker {
    public static void main(String[] arguments) throws Exception {
        List<String> jars = Arrays.asList(arguments).subList(1, arguments.length);
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(jars.get(i)).toURI().toURL();
        }
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            if (arguments[0].equals("link")) {
                link(jars, loader, out);
            } else {
                Thread.currentThread().setContextClassLoader(loader);
                queries(loader, out);
                dates(loader, out);
            }
        }
        out.flush();
        System.exit(0);
    }

    private static void link(List<String> jars, ClassLoader loader, PrintStream out) throws Exception {
        for (String path : jars) {
            try (JarFile jar = new JarFile(path)) {
                List<String> names = new ArrayList<>();
                jar.stream().map(entry -> entry.getName())
                    .filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/"))
                    .forEach(names::add);
                Collections.sort(names);
                for (String name : names) {
                    String binary = name.substring(0, name.length() - 6).replace('/', '.');
                    try {
                        // Asking for the methods links the class, and does not initialize it.
                        Class.forName(binary, false, loader).getDeclaredMethods();
                        out.println("+ " + binary);
                    } catch (Throwable failure) {
                        out.println("- " + binary + " " + failure.toString().split("\n")[0]);
                    }
                }
            }
        }
    }

    private static void queries(ClassLoader loader, PrintStream out) throws Exception {
        java.sql.Driver driver = (java.sql.Driver) Class.forName("org.h2.Driver", true, loader).getConstructor().newInstance();
        try (Connection connection = driver.connect("jdbc:h2:mem:corpus", new java.util.Properties());
             Statement statement = connection.createStatement()) {
            statement.execute("create table a(id int primary key, name varchar(40), price decimal(10, 2), born date)");
            statement.execute("create table b(id int, a int references a(id), note clob, big bigint, wide double)");
            statement.execute("create index b_a on b(a)");
            for (int i = 0; i < 500; i++) {
                statement.execute("insert into a values(" + i + ", 'name" + i % 37 + "', " + i * 7 % 1000 + ".25, date '2020-01-01' + " + i + ")");
            }
            for (int i = 0; i < 500; i++) {
                statement.execute("insert into b values(" + i + ", " + i * 13 % 500 + ", repeat('x', " + i % 9 + "), " + i * 100000000000L + ", " + i / 7.0 + ")");
            }
            String[] queries = {
                "select name, count(*), sum(price), min(born), max(born) from a group by name having count(*) > 3 order by name",
                "select a.id, b.note, b.big, b.wide from a join b on a.id = b.a where a.name like 'name1%' and b.wide between 2 and 50 order by 1, 2, 3",
                "select id, rank() over (partition by name order by price desc) r from a order by 2, 1 limit 60",
                "with recursive t(n) as (select 1 union all select n + 1 from t where n < 50) select sum(n), avg(n * 1.5) from t",
                "select upper(name) || '-' || lpad(id, 5, '0'), extract(year from born), cast(price as int) from a where id in (select a from b where big > 9000000000000) order by 1",
                "explain select * from a left join b on a.id = b.a where a.id = 5",
            };
            for (String query : queries) {
                try (ResultSet rows = statement.executeQuery(query)) {
                    int columns = rows.getMetaData().getColumnCount();
                    while (rows.next()) {
                        for (int column = 1; column <= columns; column++) {
                            out.print(rows.getString(column) + "|");
                        }
                        out.println();
                    }
                }
            }
            try {
                statement.execute("insert into b values(1, 10000, '', 0, 0)");
            } catch (java.sql.SQLException expected) {
                out.println(expected.getMessage());
            }
        }
    }

    private static void dates(ClassLoader loader, PrintStream out) throws Exception {
        Class<?> zone = Class.forName("org.joda.time.DateTimeZone", true, loader);
        Class<?> time = Class.forName("org.joda.time.DateTime", true, loader);
        for (String id : new String[] {"UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata"}) {
            Object in = zone.getMethod("forID", String.class).invoke(null, id);
            for (long millis = -3000000000000L; millis < 4000000000000L; millis += 98765432109L) {
                Object at = time.getConstructor(long.class, zone).newInstance(millis, in);
                Object later = time.getMethod("plusMonths", int.class).invoke(at, 7);
                out.println(at + " " + later + " " + time.getMethod("getWeekOfWeekyear").invoke(later));
            }
        }
    }
}
