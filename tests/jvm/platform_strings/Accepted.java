import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.NumberFormat;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.xml.sax.InputSource;
import org.xml.sax.helpers.DefaultHandler;

/** Hands each string of the list to its reader, and prints those that none of its overloads accepts. */
class Accepted {
    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            if (!line.startsWith("#")) {
                String[] parts = line.split(" ", 3);
                List<String> refusals = refusals(parts[0], parts[1], parts[2]);
                if (!refusals.isEmpty()) {
                    System.out.println(line + ": " + refusals);
                }
            }
        }
    }

    /** Why each overload refused the text; empty if one took it. */
    private static List<String> refusals(String owner, String member, String text) throws Exception {
        Class<?> of = Class.forName(owner.replace('/', '.'));
        List<String> refusals = new ArrayList<>();
        for (Executable overload : member.equals("<init>") ? of.getConstructors() : of.getMethods()) {
            if (!member.equals("<init>") && !overload.getName().equals(member)) {
                continue;
            }
            Object[] values = values(overload.getParameterTypes(), text);
            if (values == null) {
                continue;
            }
            try {
                call(overload, of, values);
                return List.of();
            } catch (InvocationTargetException e) {
                refusals.add(String.valueOf(e.getCause()));
            }
        }
        return refusals.isEmpty() ? List.of("it has no such member") : refusals;
    }

    private static void call(Executable overload, Class<?> of, Object[] values) throws Exception {
        if (overload instanceof Method method) {
            method.invoke(Modifier.isStatic(method.getModifiers()) ? null : receiver(of), values);
        } else {
            ((java.lang.reflect.Constructor<?>) overload).newInstance(values);
        }
    }

    /** The text, and what may be needed beside it; {@code null} if the parameters are others. */
    private static Object[] values(Class<?>[] types, String text) throws Exception {
        Object first = types.length == 0 ? null : valueOf(types[0], text);
        if (first == null || types.length > 2) {
            return null;
        }
        if (types.length == 1) {
            return new Object[] {first};
        }
        Object second = null;
        if (types[1] == DefaultHandler.class) {
            second = new DefaultHandler();
        } else if (types[1] == Object[].class) {
            second = new Object[1];
        } else if (types[1] == Object.class) {
            second = DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
        }
        return second == null ? null : new Object[] {first, second};
    }

    private static Object valueOf(Class<?> type, String text) {
        if (type == String.class || type == CharSequence.class) {
            return text;
        } else if (type == InputStream.class) {
            return new ByteArrayInputStream((text + "\n").getBytes(StandardCharsets.UTF_8));
        } else if (type == Reader.class) {
            return new StringReader(text);
        }
        return type == InputSource.class ? new InputSource(new StringReader(text)) : null;
    }

    private static Object receiver(Class<?> of) throws Exception {
        return switch (of.getName()) {
            case "java.lang.String" -> "abc";
            case "java.lang.ClassLoader" -> ClassLoader.getSystemClassLoader();
            case "java.time.format.DateTimeFormatter" -> java.time.format.DateTimeFormatter.ISO_LOCAL_DATE;
            case "java.util.Base64$Decoder" -> java.util.Base64.getDecoder();
            case "java.text.DateFormat", "java.text.SimpleDateFormat" -> new SimpleDateFormat("yyyy-MM-dd", Locale.ROOT);
            case "java.text.DecimalFormat" -> new DecimalFormat("#,##0.00", DecimalFormatSymbols.getInstance(Locale.ROOT));
            case "java.text.NumberFormat" -> NumberFormat.getInstance(Locale.ROOT);
            case "java.text.MessageFormat" -> new java.text.MessageFormat("");
            case "javax.xml.parsers.DocumentBuilder" -> DocumentBuilderFactory.newInstance().newDocumentBuilder();
            case "javax.xml.parsers.SAXParser" -> javax.xml.parsers.SAXParserFactory.newInstance().newSAXParser();
            case "javax.xml.stream.XMLInputFactory" -> javax.xml.stream.XMLInputFactory.newInstance();
            case "javax.xml.xpath.XPath" -> javax.xml.xpath.XPathFactory.newInstance().newXPath();
            default -> of.getConstructor().newInstance();
        };
    }
}
