package io.millrace;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.Map;
import java.util.TreeSet;

/** The rule that a name means one thing: no two classes of the program have the same simple name. */
@AnalyzeClasses(packages = "io.millrace", importOptions = ArchitectureTest.ProgramAlone.class)
class ClassNamesTest {
    @ArchTest
    static void eachSimpleNameIsThatOfOneClass(JavaClasses classes) {
        Map<String, TreeSet<String>> names = classes.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(groupingBy(JavaClass::getSimpleName, mapping(JavaClass::getName, toCollection(TreeSet::new))));
        assertThat(names).as("all modules are seen").containsKeys("Sample", "BufferLayout", "Main");
        assertThat(names.values()).allSatisfy(same -> assertThat(same).hasSize(1));
    }
}
