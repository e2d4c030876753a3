// A reference to a callable object, for parameters of functions that are compiled once for all callers.
#pragma once

#include <type_traits>
#include <utility>

namespace ptosim {

template <typename Signature>
class FunctionRef;

// Valid as long as the object that it refers to.
template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
    template <typename F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
    FunctionRef(F&& f)  // NOLINT
        : object_{const_cast<void*>(static_cast<const void*>(&f))},
          call_{[](void* object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<F>*>(object))(
                  std::forward<Arguments>(arguments)...);
          }} {}

    Result operator()(Arguments... arguments) const {
        return call_(object_, std::forward<Arguments>(arguments)...);
    }

 private:
    void* object_;
    Result (*call_)(void*, Arguments...);
};

}  // namespace ptosim
