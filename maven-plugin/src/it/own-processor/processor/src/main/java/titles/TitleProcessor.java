package titles;

import java.io.IOException;
import java.io.Writer;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/** Writes a class beside each deprecated one. */
@SupportedAnnotationTypes("java.lang.Deprecated")
public final class TitleProcessor extends AbstractProcessor {
    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        for (TypeElement annotation : annotations) {
            for (Element type : round.getElementsAnnotatedWith(annotation)) {
                write(type + "Titles");
            }
        }
        return false;
    }

    private void write(String name) {
        int dot = name.lastIndexOf('.');
        try (Writer source = processingEnv.getFiler().createSourceFile(name).openWriter()) {
            source.write("package " + name.substring(0, dot) + ";\nclass " + name.substring(dot + 1)
                    + " {\n    static String title(int pages) {\n        return pages > 99 ? \"novel\" : \"story\";\n    }\n}\n");
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }
}
