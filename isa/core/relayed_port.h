// A core's port for a kernel that gets another position in the launch than the core's own.
#pragma once

#include "isa/core/forwarding_port.h"
#include "isa/core/signal_listener.h"

namespace ptosim {

class RelayedPort : public ForwardingPort, public SignalListener {
 public:
    // The port must outlive this one.
    RelayedPort(KernelPort& port, const BlockIdentity& identity)
        : ForwardingPort{port}, identity_{identity} {}

    const BlockIdentity& identity() const override { return identity_; }
    bool shares_launch() const override { return false; }
    void awaits(const AwaitedSignal& signal) override {
        if (auto* const listener = dynamic_cast<SignalListener*>(&port_)) listener->awaits(signal);
    }
    void no_longer_awaits() override {
        if (auto* const listener = dynamic_cast<SignalListener*>(&port_))
            listener->no_longer_awaits();
    }

 private:
    BlockIdentity identity_;
};

}  // namespace ptosim
