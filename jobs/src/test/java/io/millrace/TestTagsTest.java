package io.millrace;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Tag;

/** Tests of real processes have a tag, so that a build can include or exclude them. */
@AnalyzeClasses(
        packages = {
            "io.millrace.cli",
            "io.millrace.cluster",
            "io.millrace.pipeline",
            "io.millrace.python",
            "io.millrace.served"
        },
        importOptions = ImportOption.OnlyIncludeTests.class)
class TestTagsTest {
    @ArchTest
    static final ArchRule TESTS_OF_PROCESSES_ARE_TAGGED = classes()
            .that()
            .haveSimpleNameEndingWith("E2E")
            .should()
            .beAnnotatedWith(describe(
                    "@Tag(\"processes\")",
                    annotation -> annotation.getRawType().isEquivalentTo(Tag.class)
                            && annotation
                                    .get("value")
                                    .filter("processes"::equals)
                                    .isPresent()));
}
