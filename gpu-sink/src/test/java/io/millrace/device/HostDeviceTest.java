package io.millrace.device;

class HostDeviceTest extends DeviceContract {
    @Override
    Device open() {
        return new HostDevice();
    }

    /** Does nothing: the test closes the memory that it allocated, and the host has nothing else. */
    @Override
    void assertNothingLeft() {}
}
