package io.millrace;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.millrace.Layers.PACKAGES;
import static io.millrace.Layers.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The import rules of {@link Layers}, and the rule that some classes do not import Flink. This module depends on all
 * others, so all classes are on its class path.
 */
@AnalyzeClasses(packages = "io.millrace", importOptions = ArchitectureTest.ProgramAlone.class)
class ArchitectureTest {
    /** The option that leaves out tests, including those of other modules, which are in folders or in jars. */
    static final class ProgramAlone implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return new DoNotIncludeTests().includes(location) && !location.contains("-tests.jar");
        }
    }

    @ArchTest
    static void everyPackageHasItsLayer(JavaClasses classes) {
        Set<String> found = classes.stream()
                .map(type -> type.getPackageName().replaceFirst("^io\\.millrace\\.([^.]+).*", "$1"))
                .collect(Collectors.toSet());
        assertThat(PACKAGES).containsAll(found);
        assertThat(found).as("all modules are seen").contains("sample", "device", "cli");
    }

    @ArchTest
    static void packagesImportOnlyLowerLayers(JavaClasses classes) {
        for (int layer = 0; layer < PACKAGES.size() - 1; layer++) {
            String[] above = PACKAGES.subList(layer + 1, PACKAGES.size()).stream()
                    .map(Layers::pattern)
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(pattern(PACKAGES.get(layer)))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above)
                    .allowEmptyShould(true)
                    .check(classes);
        }
    }

    /** The planted bottlenecks are in a jar that other commands do not load. */
    @ArchTest
    static final ArchRule PLANTED_BOTTLENECKS_ARE_NOT_USED = noClasses()
            .that()
            .resideOutsideOfPackage(pattern("diagnosis.planted"))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(pattern("diagnosis.planted"));

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.millrace.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule TRAINING_DOES_NOT_KNOW_DELIVERY = noClasses()
            .that()
            .resideInAPackage(pattern("sink.trainer"))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(pattern("sink.deliver"));

    @ArchTest
    static final ArchRule DELIVERY_DOES_NOT_KNOW_TRAINING = noClasses()
            .that()
            .resideInAPackage(pattern("sink.deliver"))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(pattern("sink.trainer"));

    @ArchTest
    static void librariesAreImportedOnlyWhereTheRulesAllow(JavaClasses classes) {
        for (Layers.LibraryRule rule : Layers.LIBRARIES) {
            noClasses()
                    .that()
                    .resideOutsideOfPackages(rule.importers().stream()
                            .map(importer -> "io.millrace." + importer)
                            .toArray(String[]::new))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(rule.packages().toArray(String[]::new))
                    .as(rule.library() + " is imported only by " + rule.importers())
                    .check(classes);
        }
    }

    /** The packages of Flink except its file systems, with which datasets read files. */
    private static final DescribedPredicate<JavaClass> FLINK = resideInAPackage("org.apache.flink..")
            .and(not(resideInAPackage("org.apache.flink.core.fs..")))
            .as("are Flink's");

    private static final Set<String> PURE = Set.of(
            "Packer",
            "BatchSpec",
            "MicroBatch",
            "BatchAssembly",
            "ParkedRows",
            "RunClock",
            "QuarantineLog",
            "StepLog",
            "Trainer",
            "RangeWindow",
            "RangeSet",
            "PositionReader");
    private static final Set<String> TYPES = Set.of("SampleType", "SampleSerializer");

    private static final DescribedPredicate<JavaClass> WITHOUT_FLINK = resideInAnyPackage(
                    pattern("file"),
                    pattern("option"),
                    pattern("sample"),
                    pattern("order"),
                    pattern("sequence"),
                    pattern("dataset"),
                    pattern("image"),
                    pattern("transform"),
                    pattern("python"),
                    pattern("device"),
                    pattern("serve"),
                    pattern("train"))
            .and(not(simpleNameEndingWith("Operator")))
            .and(not(simpleNameEndingWith("OperatorFactory")))
            .and(not(namedOneOf(TYPES)))
            .or(namedOneOf(PURE))
            .as("are pure");

    /** Returns a predicate for the classes with these names and the classes within them. */
    private static DescribedPredicate<JavaClass> namedOneOf(Set<String> names) {
        return describe("named " + names, type -> {
            String name = type.getName().substring(type.getName().lastIndexOf('.') + 1);
            return names.contains(name.contains("$") ? name.substring(0, name.indexOf('$')) : name);
        });
    }

    @ArchTest
    static final ArchRule PURE_CLASSES_WITHOUT_FLINK =
            noClasses().that(WITHOUT_FLINK).should(dependOnClassesThat(FLINK));

    @ArchTest
    static final ArchRule LOGGING_IS_SLF4J = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static void standardStreamsBelongToTheCommandLine(JavaClasses classes) {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(
                classes.that(not(resideInAnyPackage(pattern("cli"), pattern("run"), pattern("report")))));
    }
}
