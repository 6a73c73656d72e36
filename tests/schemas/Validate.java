import java.io.File;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;

/** Fails for the first document that does not fit the schema: {@code java Validate.java SCHEMA DOCUMENT...}. */
class Validate {
    public static void main(String[] arguments) throws Exception {
        Schema schema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(new File(arguments[0]));
        for (int i = 1; i < arguments.length; i++) {
            schema.newValidator().validate(new StreamSource(new File(arguments[i])));
        }
    }
}
