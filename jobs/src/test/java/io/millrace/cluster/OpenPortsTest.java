package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenPortsTest {
    private static ClusterSettings settings(Map<String, String> options) {
        return new ClusterSettings(options);
    }

    @Test
    void allShippedConfigurationsForThisMachineListenOnLoopback() throws Exception {
        for (String name : ClusterSettings.SHIPPED) {
            ClusterSettings shipped = ClusterSettings.shipped(name);
            if (!name.equals("kubernetes")) {
                assertThatCode(() -> OpenPorts.requireLoopback(shipped)).doesNotThrowAnyException();
            }
            assertThat(shipped.options()).as(name).containsEntry("web.submit.enable", "false");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rest.bind-address", "jobmanager.bind-host", "taskmanager.bind-host"})
    void anAddressForOthersNeedsTheOption(String key) {
        assertThatThrownBy(() -> OpenPorts.requireLoopback(settings(Map.of(key, "0.0.0.0"))))
                .isInstanceOf(ClusterException.class)
                .hasMessageContainingAll(key + " is 0.0.0.0", "add --bind 0.0.0.0");
        assertThatCode(() -> OpenPorts.requireLoopback(settings(Map.of(key, "127.0.0.2"))))
                .doesNotThrowAnyException();
    }

    @Test
    void processesAreFoundAtTheAddressAtWhichTheyListen() throws Exception {
        assertThat(OpenPorts.at("10.0.0.1"))
                .hasSize(6)
                .containsEntry("rest.bind-address", "10.0.0.1")
                .containsEntry("rest.address", "10.0.0.1")
                .containsEntry("jobmanager.rpc.address", "10.0.0.1")
                .containsEntry("taskmanager.host", "10.0.0.1");
        assertThat(OpenPorts.at("0.0.0.0"))
                .containsOnlyKeys("rest.bind-address", "jobmanager.bind-host", "taskmanager.bind-host");
        assertThatThrownBy(() -> OpenPorts.at("10.0.0.1.2.3"))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("'10.0.0.1.2.3' is not the address of an interface");
    }

    @Test
    void addressOfAnotherMachineIsRefused() {
        for (String own : List.of("127.0.0.1", "127.0.0.2", "0.0.0.0", "localhost")) {
            assertThatCode(() -> OpenPorts.requireOfThisMachine(own)).doesNotThrowAnyException();
        }
        assertThatThrownBy(() -> OpenPorts.requireOfThisMachine("192.0.2.1")) // no machine has it (RFC 5737)
                .isInstanceOf(ClusterException.class)
                .hasMessage("'192.0.2.1' is not the address of an interface of this machine");
    }

    @Test
    void aClusterWithoutCertificatesIsWarnedOf() {
        assertThat(OpenPorts.warning(Map.of("jobmanager.bind-host", "127.0.0.1", "taskmanager.bind-host", "127.0.0.1")))
                .hasValueSatisfying(sentence ->
                        assertThat(sentence).contains("no security.ssl.internal.enabled, listens at 127.0.0.1)"));
        assertThat(OpenPorts.warning(Map.of("rest.bind-address", "0.0.0.0", "taskmanager.bind-host", "10.0.0.1")))
                .hasValue(
                        "the cluster runs the code of everybody who reaches its ports, because it asks for no certificates (no"
                                + " security.ssl.rest.authentication-enabled, listens at 0.0.0.0; no security.ssl.internal.enabled, listens"
                                + " at all addresses and 10.0.0.1): see docs/cluster/cluster.md");
        assertThat(OpenPorts.warning(
                        Map.of("security.ssl.internal.enabled", "true", "security.ssl.rest.enabled", "true")))
                .hasValueSatisfying(sentence -> assertThat(sentence)
                        .contains("no security.ssl.rest.auth")
                        .doesNotContain("internal"));
        assertThat(OpenPorts.warning(Map.of(
                        "security.ssl.internal.enabled", "true",
                        "security.ssl.rest.enabled", "true",
                        "security.ssl.rest.authentication-enabled", "true")))
                .isEmpty();
    }

    @Test
    void linesSayWhoIsAdmitted() throws Exception {
        Map<String, String> loopback = Map.of(
                "rest.bind-address", "127.0.0.1",
                "jobmanager.bind-host", "127.0.0.1",
                "taskmanager.bind-host", "127.0.0.1",
                "web.submit.enable", "false");
        assertThat(OpenPorts.describe(settings(loopback)))
                .containsExactly(
                        "web UI and REST, where jobs are submitted: on 127.0.0.1, open to all users of this machine",
                        "JobManager: RPC and files: on 127.0.0.1, open to all users of this machine",
                        "TaskManagers: RPC and data: on 127.0.0.1, open to all users of this machine");
        assertThat(OpenPorts.describe(settings(loopback)
                        .with(OpenPorts.at("0.0.0.0"))
                        .with(Map.of(
                                "web.submit.enable", "true",
                                "security.ssl.rest.enabled", "true",
                                "security.ssl.internal.enabled", "true"))))
                .containsExactly(
                        "web UI and REST, where jobs are submitted and jars uploaded: on 0.0.0.0, open to everybody"
                                + " who reaches this machine",
                        "JobManager: RPC and files: on 0.0.0.0, open to those who have a certificate",
                        "TaskManagers: RPC and data: on 0.0.0.0, open to those who have a certificate");
        assertThat(OpenPorts.describe(settings(loopback)
                        .with(Map.of(
                                "security.ssl.rest.enabled", "true",
                                "security.ssl.rest.authentication-enabled", "true"))))
                .first()
                .asString()
                .endsWith("open to those who have a certificate");
    }
}
