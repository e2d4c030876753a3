// Two flags of one source pipe and one id that are pending at once.
//
// Sources disagree on whether a hardware flag belongs to a pair of pipes or to its source pipe
// alone: a public report (hw-native-sys/PTOAS 823) describes a hang that only the latter explains.
#include "sim/check/checker.h"
#include "sim/check/open_flags.h"

namespace ptosim::check {
namespace {

class IdChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override { open_.launch(event.cores.size()); }
    void on_block_begin(const RunEvent& event) override {
        open_.block_begin(timelines_.index(event.core));
    }
    void on_issue(const InstructionEvent& event) override;

 private:
    void report(const InstructionEvent& event, Pipe other, SourceLocation pending);

    OpenFlags open_;
};

void IdChecker::on_issue(const InstructionEvent& event) {
    const Attributes& a = event.instruction->attributes;
    const uint16_t core = timelines_.index(event.core);
    if (event.instruction->opcode == Opcode::kSET_FLAG)
        for (unsigned p = 0; p < kPipeCount; ++p) {
            const Pipe other = static_cast<Pipe>(p);
            if (other == a.destination_pipe) continue;
            const OpenFlags::Flag& pending = open_.at(core, a.source_pipe, other, a.event_id);
            if (pending.set) report(event, other, pending.location);
        }
    open_.issue(core, *event.instruction);
}

void IdChecker::report(const InstructionEvent& event, Pipe other, SourceLocation pending) {
    const Attributes& a = event.instruction->attributes;
    const SourceLocation& at = event.instruction->location;
    std::string site = "E13";
    for (const unsigned part :
         {unsigned{at.file}, at.line, unsigned{at.column}, unsigned{a.event_id}})
        site += "/" + std::to_string(part);
    findings_.add(site, [&] {
        Diagnostic d;
        d.code = "E13";
        d.category = Category::kSync;
        d.message = flag_text(a.source_pipe, a.destination_pipe, a.event_id) + " is set while " +
                    flag_text(a.source_pipe, other, a.event_id) + ", set at " +
                    location_text(*shared_.sources, pending) +
                    ", has not been awaited yet: both are the same flag if flags belong to their source pipe";
        shared_.sources->locate(d, at);
        d.core = name(event.core);
        d.pipe = name(event.pipe);
        d.cycle = event.time;
        d.has_cycle = true;
        d.instruction = "SET_FLAG";
        d.related = {shared_.sources->related("set", pending)};
        d.hint = "use different ids for the two";
        return d;
    });
}

}  // namespace

PTOSIM_CHECKER(ids) =
    row_of<IdChecker>({.name = "ids",
                       .codes = "E13",
                       .about = "two flags of one source pipe and one id pending at once",
                       .order = 30});

}  // namespace ptosim::check
