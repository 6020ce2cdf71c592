package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlantsTest {
    @TempDir
    Path folder;

    @Test
    void namesAreUniqueAndFixesChangeThePipeline() throws Exception {
        List<Plant> plants = Plants.all();
        PlantTexts.writeTokenizer(folder);

        assertThat(plants).hasSize(34);
        assertThat(plants).extracting(Plant::name).doesNotHaveDuplicates();
        for (Plant plant : plants) {
            Path file = Files.writeString(
                    folder.resolve(plant.name() + ".yaml"),
                    plant.setting().pipeline().replace(Plant.DATA, folder.toString()));
            List<String> fix = plant.fix().settings().stream()
                    .map(setting -> setting.replace(Plant.DATA, folder.toString()))
                    .toList();
            PipelineConfig before = ConfigReader.read(file, List.of());
            if (plant.setting().disturbance() == Plant.Disturbance.NONE) {
                assertThat(ConfigReader.read(file, fix)).as(plant.name()).isNotEqualTo(before);
            } else {
                assertThat(fix).as(plant.name()).isEmpty();
            }
        }
    }

    @Test
    void unknownNameIsRejectedWithTheKnownNames() {
        assertThatThrownBy(() -> Plants.named("slow"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no planted bottleneck 'slow'")
                .hasMessageContaining("slow-storage");
    }
}
