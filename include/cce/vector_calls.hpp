// Operations on vector registers of an a5, as calls: each notes one in the vector function whose block contains it
// (cce/vector_registers.hpp). An operand is a register, or an object of a library's register class that converts to
// one.
#pragma once

// The parameters that all calls end with: where the call is, for messages.
#define PTO_DETAIL_HERE                                                                         \
    ::ptosim_location where = { __builtin_FILE(), static_cast<uint32_t>(__builtin_LINE()) }
#define PTO_DETAIL_NOTE(Name_, Type_)                                                           \
    ::pto::ptosim_detail::VectorNote(PTO_DETAIL_OPCODE(Name_), Type_, where)
#define PTO_DETAIL_ELEMENT(Operand_) ::pto::ptosim_detail::VectorElement<Operand_>
#define PTO_DETAIL_SAME(A_, B_) class = ::pto::ptosim_detail::SameElement<A_, B_>
#define PTO_DETAIL_WAY(Way_) ::pto::ptosim_detail::VectorWay<::pto::ptosim_detail::Vector##Way_>
#define PTO_DETAIL_MASKING PTO_DETAIL_WAY(Masking) masking = MODE_ZEROING
#define PTO_DETAIL_TYPE(T_) ::pto::ptosim_detail::register_type<T_>

// ---- loads and stores ---------------------------------------------------------------------------

template <class D_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate,
          class T_ = PTO_DETAIL_ELEMENT(D_)>
void vlds(D_&& dst, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorAccess access, Post_ = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    PTO_DETAIL_NOTE(VLDS, PTO_DETAIL_TYPE(T_))
        .mode(access.mode())
        .at(pointer, kPost ? 0 : offset)
        .to(dst);
    ::pto::ptosim_detail::advance<Post_>(pointer, offset);
}
template <class L_, class H_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate,
          class T_ = PTO_DETAIL_ELEMENT(L_), PTO_DETAIL_SAME(L_, H_)>
void vlds(L_&& low, H_&& high, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorAccess access, Post_ = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    PTO_DETAIL_NOTE(VLDSX2, PTO_DETAIL_TYPE(T_))
        .mode(access.mode())
        .at(pointer, kPost ? 0 : offset)
        .to(low)
        .to(high);
    ::pto::ptosim_detail::advance<Post_>(pointer, offset);
}
template <class S_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate,
          class T_ = PTO_DETAIL_ELEMENT(S_)>
void vsts(S_&& src, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorAccess access, const vector_bool& mask,
          Post_ = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    PTO_DETAIL_NOTE(VSTS, PTO_DETAIL_TYPE(T_))
        .from(src)
        .masked(mask)
        .mode(::pto::ptosim_detail::stored_as(access.mode(), sizeof(T_)))
        .at(pointer, kPost ? 0 : offset);
    ::pto::ptosim_detail::advance<Post_>(pointer, offset);
}
template <class L_, class H_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate,
          class T_ = PTO_DETAIL_ELEMENT(L_), PTO_DETAIL_SAME(L_, H_)>
void vsts(L_&& low, H_&& high, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorAccess access, const vector_bool&, Post_ = {},
          PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    PTO_DETAIL_NOTE(VSTSX2, PTO_DETAIL_TYPE(T_))
        .from(low)
        .from(high)
        .mode(access.mode())
        .at(pointer, kPost ? 0 : offset);
    ::pto::ptosim_detail::advance<Post_>(pointer, offset);
}
template <class P_>
void vldas(vector_align&, P_&&) {}
template <class D_, class P_, class T_ = PTO_DETAIL_ELEMENT(D_)>
void vldus(D_&& dst, vector_align&, P_&& pointer, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VLDUS, PTO_DETAIL_TYPE(T_)).mode(1).at(pointer).to(dst);
}
template <class D_, class P_, class Post_, class T_ = PTO_DETAIL_ELEMENT(D_)>
void vldus(D_&& dst, vector_align&, P_& pointer, int64_t step, Post_, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VLDUS, PTO_DETAIL_TYPE(T_)).mode(1).at(pointer).to(dst);
    ::pto::ptosim_detail::advance<Post_>(pointer, step);
}
template <class S_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate,
          class T_ = PTO_DETAIL_ELEMENT(S_)>
void vstus(vector_align&, uint32_t count, S_&& src, P_&& pointer, Post_ = {},
           PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSTUS, PTO_DETAIL_TYPE(T_)).from(src).bits(count * sizeof(T_)).at(pointer);
    ::pto::ptosim_detail::advance<Post_>(pointer, count);
}
template <class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void vstas(vector_align&, P_&&, int32_t, Post_ = {}) {}
template <class P_>
void vstar(vector_align&, P_&&) {}
template <class S_, class P_, class Post_, class T_ = PTO_DETAIL_ELEMENT(S_)>
void vstur(vector_align&, S_&& src, P_&& pointer, Post_, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSTUR, PTO_DETAIL_TYPE(T_))
        .from(src)
        .mode(::pto::ptosim_detail::is_post_update<Post_> ? 1 : 0)
        .at(pointer);
}
inline void sprclr(::pto::ptosim_detail::VectorSpecial, PTO_DETAIL_HERE) { PTO_DETAIL_NOTE(SPRCLR,
                   PTOSIM_U8); }
// Code outside of vector functions reads what pipe V has left by now.
inline int64_t get_ar(PTO_DETAIL_HERE) {
    return static_cast<int64_t>(ptosim_result(PTOSIM_AR, where));
}
template <class P_>
void sprsts(::pto::ptosim_detail::VectorSpecial, P_&& pointer, int64_t offset, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(SPRSTS, PTOSIM_U32)
        .mode(::pto::ptosim_detail::kModeSpecial)
        .at_byte(pointer, offset);
}
// `strides`: blocks of 32 bytes from one block to the next, and from the pointer to the first; after the
// call, if the pointer moves on.
template <class D_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate,
          class T_ = PTO_DETAIL_ELEMENT(D_)>
void vsldb(D_&& dst, P_&& pointer, uint32_t strides, const vector_bool& mask,
           Post_ = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    auto note = PTO_DETAIL_NOTE(VSLDB, PTO_DETAIL_TYPE(T_));
    note.masked(mask).at(pointer).to(dst);
    (*note).block_stride = static_cast<uint16_t>(strides >> 16);
    (*note).repeat_stride = kPost ? 0 : static_cast<uint16_t>(strides);
    ::pto::ptosim_detail::advance<Post_>(pointer, (strides & 0xFFFF) * 32 / sizeof(*pointer));
}
template <class S_, class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate,
          class T_ = PTO_DETAIL_ELEMENT(S_)>
void vsstb(S_&& src, P_&& pointer, uint32_t strides, const vector_bool& mask,
           Post_ = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    auto note = PTO_DETAIL_NOTE(VSSTB, PTO_DETAIL_TYPE(T_));
    note.from(src).masked(mask).at(pointer);
    (*note).block_stride = static_cast<uint16_t>(strides >> 16);
    (*note).repeat_stride = kPost ? 0 : static_cast<uint16_t>(strides);
    ::pto::ptosim_detail::advance<Post_>(pointer, (strides & 0xFFFF) * 32 / sizeof(*pointer));
}
template <class D_, class I_, class P_, class T_ = PTO_DETAIL_ELEMENT(D_),
          class Index_ = PTO_DETAIL_ELEMENT(I_)>
void vgather2(D_&& dst, P_&& pointer, I_&& index,
              const vector_bool& mask, PTO_DETAIL_HERE) {
    // Bytes go to lanes twice as wide.
    auto note = PTO_DETAIL_NOTE(VGATHER2, sizeof(*pointer) == 1 ? PTOSIM_U8 : PTO_DETAIL_TYPE(T_));
    note.from(index).masked(mask).at(pointer).to(dst);
    (*note).to = PTO_DETAIL_TYPE(Index_);
}
template <class D_, class I_, class P_, class T_ = PTO_DETAIL_ELEMENT(D_),
          class Index_ = PTO_DETAIL_ELEMENT(I_)>
void vgather2_bc(D_&& dst, P_&& pointer, I_&& index,
                 const vector_bool& mask, PTO_DETAIL_HERE) {
    vgather2(dst, pointer, index, mask, where);
}
template <class D_, class P_, class T_ = PTO_DETAIL_ELEMENT(D_)>
void vgatherb(D_&& dst, P_&& pointer, const vector_u32& index,
              const vector_bool& mask, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VGATHERB, PTO_DETAIL_TYPE(T_)).from(index).masked(mask).at(pointer).to(dst);
}
template <class D_, class P_, class T_ = PTO_DETAIL_ELEMENT(D_)>
void vgatherb(D_&& dst, P_&& pointer, const vector_u32& index, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VGATHERB, PTO_DETAIL_TYPE(T_)).from(index).at(pointer).to(dst);
}
template <class S_, class I_, class P_, class T_ = PTO_DETAIL_ELEMENT(S_),
          class Index_ = PTO_DETAIL_ELEMENT(I_)>
void vscatter(S_&& src, P_&& pointer, I_&& index,
              const vector_bool& mask, PTO_DETAIL_HERE) {
    auto note = PTO_DETAIL_NOTE(VSCATTER, PTO_DETAIL_TYPE(T_));
    note.from(src).from(index).masked(mask).at(pointer);
    (*note).to = PTO_DETAIL_TYPE(Index_);
}
template <class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void plds(vector_bool& dst, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorAccess access, Post_ = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    PTO_DETAIL_NOTE(PLDS, PTOSIM_U8)
        .mode(access.predicate_load())
        .at_byte(pointer, kPost ? 0 : offset)
        .to(dst);
    ::pto::ptosim_detail::advance<Post_>(pointer, offset / static_cast<int64_t>(sizeof(*pointer)));
}
template <class P_, class Post_ = ::pto::ptosim_detail::VectorNoPostUpdate>
void psts(const vector_bool& src, P_&& pointer, int64_t offset,
          ::pto::ptosim_detail::VectorAccess access, Post_ = {}, PTO_DETAIL_HERE) {
    constexpr bool kPost = ::pto::ptosim_detail::is_post_update<Post_>;
    PTO_DETAIL_NOTE(PSTS, PTOSIM_U8)
        .from(src)
        .mode(access.predicate_store())
        .at_byte(pointer, kPost ? 0 : offset);
    ::pto::ptosim_detail::advance<Post_>(pointer, offset / static_cast<int64_t>(sizeof(*pointer)));
}
// Stores a bit for each element, of two or four bytes.
template <class P_>
void pstu(vector_align&, const vector_bool& src, P_*& pointer, PTO_DETAIL_HERE) {
    static_assert(sizeof(P_) == 2 || sizeof(P_) == 4, "pstu: elements of 2 or 4 bytes");
    constexpr bool kHalves = sizeof(P_) == 2;
    PTO_DETAIL_NOTE(PSTS, PTOSIM_U8)
        .from(src)
        .mode(kHalves ? ::pto::ptosim_detail::kModePredicatePk : ::pto::ptosim_detail::kModePredicatePk4)
        .at_byte(pointer, 0);
    pointer += kHalves ? 8 : 2;  // 128 or 64 bits
}
inline void mem_bar(::pto::ptosim_detail::VectorBarrier barrier, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(MEM_BAR, PTOSIM_U8).mode(static_cast<uint8_t>(barrier));
}

// ---- lane by lane ---------------------------------------------------------------------------------

#define PTO_DETAIL_UNARY(Name_, Row_)                                                           \
    template <class D_, class S_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, S_)>   \
    void Name_(D_&& dst, S_&& src, const vector_bool& mask,                                     \
               PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                                           \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_)).with(masking).from(src).masked(mask).to(dst); \
    }
#define PTO_DETAIL_BINARY(Name_, Row_)                                                          \
    template <class D_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(D_),                  \
              PTO_DETAIL_SAME(D_, A_), class U_ = PTO_DETAIL_ELEMENT(B_)>                       \
    void Name_(D_&& dst, A_&& a, B_&& b,                                                        \
               const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                  \
        static_assert(sizeof(T_) == sizeof(U_), #Name_ ": lanes of two widths");                \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_))                                              \
            .with(masking)                                                                      \
            .from(a)                                                                            \
            .from(b)                                                                            \
            .masked(mask)                                                                       \
            .to(dst);                                                                           \
    }
#define PTO_DETAIL_SCALAR(Name_, Row_)                                                          \
    template <class D_, class S_, class Scalar_, class T_ = PTO_DETAIL_ELEMENT(D_),             \
              PTO_DETAIL_SAME(D_, S_)>                                                          \
    void Name_(D_&& dst, S_&& src, Scalar_ value,                                               \
               const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                  \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_))                                              \
            .with(masking)                                                                      \
            .from(src)                                                                          \
            .masked(mask)                                                                       \
            .template scalar<T_>(value)                                                         \
            .to(dst);                                                                           \
    }
PTO_DETAIL_UNARY(vabs, VABS)
PTO_DETAIL_UNARY(vneg, VNEG)
PTO_DETAIL_UNARY(vrelu, VRELU)
PTO_DETAIL_UNARY(vnot, VNOT)
PTO_DETAIL_UNARY(vexp, VEXP)
PTO_DETAIL_UNARY(vln, VLN)
PTO_DETAIL_UNARY(vsqrt, VSQRT)
PTO_DETAIL_BINARY(vadd, VADD)
PTO_DETAIL_BINARY(vsub, VSUB)
PTO_DETAIL_BINARY(vmul, VMUL)
PTO_DETAIL_BINARY(vdiv, VDIV)
PTO_DETAIL_BINARY(vmod, VMOD)
PTO_DETAIL_BINARY(vmax, VMAX)
PTO_DETAIL_BINARY(vmin, VMIN)
PTO_DETAIL_BINARY(vand, VAND)
PTO_DETAIL_BINARY(vor, VOR)
PTO_DETAIL_BINARY(vxor, VXOR)
PTO_DETAIL_BINARY(vshl, VSHL)
PTO_DETAIL_BINARY(vshr, VSHR)
PTO_DETAIL_BINARY(vprelu, VPRELU)
PTO_DETAIL_SCALAR(vadds, VADDS)
PTO_DETAIL_SCALAR(vmuls, VMULS)
PTO_DETAIL_SCALAR(vmaxs, VMAXS)
PTO_DETAIL_SCALAR(vmins, VMINS)
PTO_DETAIL_SCALAR(vshls, VSHLS)
PTO_DETAIL_SCALAR(vshrs, VSHRS)
PTO_DETAIL_SCALAR(vlrelu, VLRELU)
#undef PTO_DETAIL_UNARY
#undef PTO_DETAIL_BINARY
#undef PTO_DETAIL_SCALAR

#define PTO_DETAIL_ACCUMULATE(Name_, Row_)                                                      \
    template <class D_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(D_),                  \
              PTO_DETAIL_SAME(D_, A_), PTO_DETAIL_SAME(D_, B_)>                                 \
    void Name_(D_&& dst, A_&& a, B_&& b, const vector_bool& mask, PTO_DETAIL_MASKING,           \
               PTO_DETAIL_HERE) {                                                               \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_))                                              \
            .with(masking)                                                                      \
            .from(dst)                                                                          \
            .from(a)                                                                            \
            .from(b)                                                                            \
            .masked(mask)                                                                       \
            .to(dst);                                                                           \
    }
PTO_DETAIL_ACCUMULATE(vmula, VMULA)
PTO_DETAIL_ACCUMULATE(vmadd, VMADD)
#undef PTO_DETAIL_ACCUMULATE
template <class D_, class S_, class Scalar_, class T_ = PTO_DETAIL_ELEMENT(D_),
          PTO_DETAIL_SAME(D_, S_)>
void vaxpy(D_&& dst, S_&& src, Scalar_ value,
           const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VAXPY, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .from(src)
        .from(dst)
        .masked(mask)
        .template scalar<T_>(value)
        .to(dst);
}
template <class S_, class B_, class T_ = PTO_DETAIL_ELEMENT(S_), PTO_DETAIL_SAME(S_, B_)>
void vexpdif(vector_f32& dst, S_&& src, B_&& subtracted,
             const vector_bool& mask, PTO_DETAIL_WAY(Part) part, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VEXPDIF, PTO_DETAIL_TYPE(T_))
        .from(src)
        .from(subtracted)
        .masked(mask)
        .with(part)
        .to(dst);
}
template <class L_, class H_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(L_),
          PTO_DETAIL_SAME(L_, H_), PTO_DETAIL_SAME(L_, A_), PTO_DETAIL_SAME(L_, B_)>
void vmull(L_&& low, H_&& high, A_&& a,
           B_&& b, const vector_bool& mask, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMULL, PTO_DETAIL_TYPE(T_)).from(a).from(b).masked(mask).to(low).to(high);
}
#define PTO_DETAIL_CARRY(Name_, Row_)                                                           \
    template <class D_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(D_),                  \
              PTO_DETAIL_SAME(D_, A_), PTO_DETAIL_SAME(D_, B_)>                                 \
    void Name_(vector_bool& carry, D_&& dst, A_&& a,                                            \
               B_&& b, const vector_bool& mask, PTO_DETAIL_HERE) {                              \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_)).from(a).from(b).masked(mask).to(dst).to(carry); \
    }                                                                                           \
    template <class D_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(D_),                  \
              PTO_DETAIL_SAME(D_, A_), PTO_DETAIL_SAME(D_, B_)>                                 \
    void Name_##s(vector_bool& carry, D_&& dst, A_&& a,                                         \
                  B_&& b, const vector_bool& before,                                            \
                  const vector_bool& mask, PTO_DETAIL_HERE) {                                   \
        PTO_DETAIL_NOTE(Row_##S, PTO_DETAIL_TYPE(T_))                                           \
            .from(a)                                                                            \
            .from(b)                                                                            \
            .from(before)                                                                       \
            .masked(mask)                                                                       \
            .to(dst)                                                                            \
            .to(carry);                                                                         \
    }
PTO_DETAIL_CARRY(vaddc, VADDC)
PTO_DETAIL_CARRY(vsubc, VSUBC)
#undef PTO_DETAIL_CARRY
#define PTO_DETAIL_COMPARE(Name_, Mode_)                                                        \
    template <class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(A_), PTO_DETAIL_SAME(A_, B_)>   \
    void vcmp_##Name_(vector_bool& dst, A_&& a, B_&& b,                                         \
                      const vector_bool& mask, PTO_DETAIL_HERE) {                               \
        PTO_DETAIL_NOTE(VCMP, PTO_DETAIL_TYPE(T_))                                              \
            .from(a)                                                                            \
            .from(b)                                                                            \
            .masked(mask)                                                                       \
            .mode(::pto::ptosim_detail::Mode_)                                                  \
            .to(dst);                                                                           \
    }                                                                                           \
    template <class A_, class Scalar_, class T_ = PTO_DETAIL_ELEMENT(A_)>                       \
    void vcmps_##Name_(vector_bool& dst, A_&& a, Scalar_ value,                                 \
                       const vector_bool& mask, PTO_DETAIL_HERE) {                              \
        PTO_DETAIL_NOTE(VCMPS, PTO_DETAIL_TYPE(T_))                                             \
            .from(a)                                                                            \
            .masked(mask)                                                                       \
            .template scalar<T_>(value)                                                         \
            .mode(::pto::ptosim_detail::Mode_)                                                  \
            .to(dst);                                                                           \
    }
PTO_DETAIL_COMPARE(eq, kEqual)
PTO_DETAIL_COMPARE(ne, kUnequal)
PTO_DETAIL_COMPARE(lt, kLess)
PTO_DETAIL_COMPARE(le, kAtMost)
PTO_DETAIL_COMPARE(gt, kGreater)
PTO_DETAIL_COMPARE(ge, kAtLeast)
#undef PTO_DETAIL_COMPARE
template <class D_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, A_),
          PTO_DETAIL_SAME(D_, B_)>
void vsel(D_&& dst, A_&& a, B_&& b,
          const vector_bool& chosen, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSEL, PTO_DETAIL_TYPE(T_)).from(a).from(b).from(chosen).to(dst);
}
template <class D_, class S_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, S_)>
void vmov(D_&& dst, S_&& src, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMOV, PTO_DETAIL_TYPE(T_)).from(src).to(dst);
}
template <class D_, class S_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, S_)>
void vmov(D_&& dst, S_&& src, const vector_bool& mask,
          PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VMOV, PTO_DETAIL_TYPE(T_)).with(masking).from(src).masked(mask).to(dst);
}

// ---- other types, other places --------------------------------------------------------------------

// Options_ in any order: rounding, saturation, the part of wider lanes, masking.
template <class D_, class S_, class To_ = PTO_DETAIL_ELEMENT(D_),
          class From_ = PTO_DETAIL_ELEMENT(S_), class... Options_>
void vcvt(D_&& dst, S_&& src, const vector_bool& mask,
          Options_... options) {
    const ::ptosim_location where{};
    auto note = PTO_DETAIL_NOTE(VCVT, PTO_DETAIL_TYPE(From_));
    (*note).saturation = 0;
    (*note).to = PTO_DETAIL_TYPE(To_);
    note.with(options...);
    ::pto::ptosim_detail::saturate_by_register(*note, std::is_integral_v<To_>);
    note.from(src).masked(mask).to(dst);
}
template <class D_, class S_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, S_)>
void vtrc(D_&& dst, S_&& src,
          PTO_DETAIL_WAY(Rounding) rounding, const vector_bool& mask,
          PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VTRC, PTO_DETAIL_TYPE(T_))
        .with(rounding, masking)
        .from(src)
        .masked(mask)
        .to(dst);
}
template <class D_, class Scalar_, class T_ = PTO_DETAIL_ELEMENT(D_),
          class = std::enable_if_t<!::pto::ptosim_detail::is_register<Scalar_>>>
void vbr(D_&& dst, Scalar_ value, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDUPS, PTO_DETAIL_TYPE(T_)).template scalar<T_>(value).to(dst);
}
template <class D_, class Scalar_, class T_ = PTO_DETAIL_ELEMENT(D_),
          class = std::enable_if_t<!::pto::ptosim_detail::is_register<Scalar_>>>
void vdup(D_&& dst, Scalar_ value, const vector_bool& mask, PTO_DETAIL_MASKING,
          PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDUPS, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .masked(mask)
        .template scalar<T_>(value)
        .to(dst);
}
template <class D_, class S_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, S_)>
void vdup(D_&& dst, S_&& src, const vector_bool& mask,
          PTO_DETAIL_WAY(Half) position, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDUP, PTO_DETAIL_TYPE(T_))
        .with(masking)
        .from(src)
        .masked(mask)
        .mode(static_cast<uint8_t>(position))
        .to(dst);
}
template <class D_, class Scalar_, class T_ = PTO_DETAIL_ELEMENT(D_)>
void vci(D_&& dst, Scalar_ first,
         PTO_DETAIL_WAY(Order) order = INC_ORDER, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VCI, PTO_DETAIL_TYPE(T_))
        .template scalar<T_>(first)
        .mode(static_cast<uint8_t>(order))
        .to(dst);
}
template <class L_, class H_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(L_),
          PTO_DETAIL_SAME(L_, H_), PTO_DETAIL_SAME(L_, A_), PTO_DETAIL_SAME(L_, B_)>
void vintlv(L_&& low, H_&& high, A_&& a,
            B_&& b, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VINTLV, PTO_DETAIL_TYPE(T_)).from(a).from(b).to(low).to(high);
}
template <class L_, class H_, class A_, class B_, class T_ = PTO_DETAIL_ELEMENT(L_),
          PTO_DETAIL_SAME(L_, H_), PTO_DETAIL_SAME(L_, A_), PTO_DETAIL_SAME(L_, B_)>
void vdintlv(L_&& low, H_&& high, A_&& a,
             B_&& b, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VDINTLV, PTO_DETAIL_TYPE(T_)).from(a).from(b).to(low).to(high);
}
template <class D_, class S_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, S_)>
void vsqz(D_&& dst, S_&& src, const vector_bool& mask,
          PTO_DETAIL_WAY(Stored) = MODE_STORED, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VSQZ, PTO_DETAIL_TYPE(T_)).from(src).masked(mask).to(dst);
}
template <class D_, class T_ = PTO_DETAIL_ELEMENT(D_)>
void vusqz(D_&& dst, const vector_bool& mask, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(VUSQZ, PTO_DETAIL_TYPE(T_)).masked(mask).to(dst);
}
template <class D_, class S_, class I_, class T_ = PTO_DETAIL_ELEMENT(D_), PTO_DETAIL_SAME(D_, S_),
          class Index_ = PTO_DETAIL_ELEMENT(I_)>
void vselr(D_&& dst, S_&& src,
           I_&& index, PTO_DETAIL_HERE) {
    static_assert(sizeof(T_) == sizeof(Index_), "vselr: lanes of two widths");
    PTO_DETAIL_NOTE(VSELR, PTO_DETAIL_TYPE(T_)).from(src).from(index).to(dst);
}
template <class D_, class S_, class To_ = PTO_DETAIL_ELEMENT(D_),
          class From_ = PTO_DETAIL_ELEMENT(S_)>
void vpack(D_&& dst, S_&& src,
           PTO_DETAIL_WAY(Half) half, PTO_DETAIL_HERE) {
    static_assert(sizeof(From_) == 2 * sizeof(To_), "vpack: lanes become half as wide");
    PTO_DETAIL_NOTE(VPACK, PTO_DETAIL_TYPE(From_)).from(src).mode(static_cast<uint8_t>(half)).to(dst);
}
template <class D_, class S_>
void vpack(D_&& dst, S_&& src, PTO_DETAIL_WAY(Half) half, PTO_DETAIL_WAY(Masking), PTO_DETAIL_HERE) {
    vpack(dst, src, half, where);
}
template <class D_, class S_, class To_ = PTO_DETAIL_ELEMENT(D_),
          class From_ = PTO_DETAIL_ELEMENT(S_)>
void vunpack(D_&& dst, S_&& src,
             PTO_DETAIL_WAY(Half) half, PTO_DETAIL_HERE) {
    static_assert(sizeof(To_) == 2 * sizeof(From_), "vunpack: lanes become twice as wide");
    if constexpr (std::is_signed_v<From_>)
        PTO_DETAIL_NOTE(VSUNPACK, PTO_DETAIL_TYPE(From_))
            .from(src)
            .mode(static_cast<uint8_t>(half))
            .to(dst);
    else
        PTO_DETAIL_NOTE(VZUNPACK, PTO_DETAIL_TYPE(From_))
            .from(src)
            .mode(static_cast<uint8_t>(half))
            .to(dst);
}

// ---- reductions -------------------------------------------------------------------------------------

#define PTO_DETAIL_REDUCE(Name_, Row_)                                                          \
    template <class D_, class S_, class To_ = PTO_DETAIL_ELEMENT(D_),                           \
              class T_ = PTO_DETAIL_ELEMENT(S_)>                                                \
    void Name_(D_&& dst, S_&& src, const vector_bool& mask,                                     \
               PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {                                           \
        static_cast<void>(masking);                                                             \
        PTO_DETAIL_NOTE(Row_, PTO_DETAIL_TYPE(T_)).from(src).masked(mask).to(dst);              \
    }
PTO_DETAIL_REDUCE(vcadd, VCADD)
PTO_DETAIL_REDUCE(vcmax, VCMAX)
PTO_DETAIL_REDUCE(vcmin, VCMIN)
PTO_DETAIL_REDUCE(vcgadd, VCGADD)
PTO_DETAIL_REDUCE(vcgmax, VCGMAX)
PTO_DETAIL_REDUCE(vcgmin, VCGMIN)
PTO_DETAIL_REDUCE(vcpadd, VCPADD)
#undef PTO_DETAIL_REDUCE

// The half of the values that are counted.
inline constexpr auto Bin_N0 = LOWER;
inline constexpr auto Bin_N1 = HIGHER;
#define PTO_DETAIL_HISTOGRAM(Name_, Row_)                                                       \
    template <class S_>                                                                         \
    void Name_(vector_u16& dst, S_&& src, const vector_bool& mask,                              \
               PTO_DETAIL_WAY(Half) half, PTO_DETAIL_HERE) {                        \
        PTO_DETAIL_NOTE(Row_, PTOSIM_U8)                                                        \
            .from(dst)                                                                          \
            .from(src)                                                                          \
            .masked(mask)                                                                       \
            .mode(static_cast<uint8_t>(half))                                                   \
            .to(dst);                                                                           \
    }
PTO_DETAIL_HISTOGRAM(dhistv2, DHISTV2)
PTO_DETAIL_HISTOGRAM(chistv2, CHISTV2)
#undef PTO_DETAIL_HISTOGRAM

// ---- predicates -------------------------------------------------------------------------------------

#define PTO_DETAIL_OF_WIDTH(Bits_, Type_)                                                       \
    inline vector_bool pset_##Bits_(PTO_DETAIL_WAY(Pattern) pattern,                \
                                    PTO_DETAIL_HERE) {                                          \
        vector_bool result;                                                                     \
        PTO_DETAIL_NOTE(PSET, Type_).mode(static_cast<uint8_t>(pattern)).to(result);            \
        return result;                                                                          \
    }                                                                                           \
    inline vector_bool pge_##Bits_(PTO_DETAIL_WAY(Pattern) pattern,                 \
                                   PTO_DETAIL_HERE) {                                           \
        return pset_##Bits_(pattern, where);                                                    \
    }                                                                                           \
    template <class Count_>                                                                     \
    vector_bool plt_##Bits_(Count_& count, ::pto::ptosim_detail::VectorPostUpdate,              \
                            PTO_DETAIL_HERE) {                                                  \
        constexpr Count_ kLanes = sizeof(#Bits_) == 3 ? 256 : #Bits_[1] == '1' ? 128 : 64;      \
        vector_bool result;                                                                     \
        PTO_DETAIL_NOTE(PLT, Type_).bits(count < 0 ? 0 : static_cast<uint64_t>(count)).to(result); \
        count = count < kLanes ? 0 : count - kLanes;                                            \
        return result;                                                                          \
    }                                                                                           \
    inline void pintlv_##Bits_(vector_bool& low, vector_bool& high, const vector_bool& a,       \
                               const vector_bool& b, PTO_DETAIL_HERE) {                         \
        PTO_DETAIL_NOTE(PINTLV, Type_).from(a).from(b).to(low).to(high);                        \
    }                                                                                           \
    inline void pdintlv_##Bits_(vector_bool& low, vector_bool& high, const vector_bool& a,      \
                                const vector_bool& b, PTO_DETAIL_HERE) {                        \
        PTO_DETAIL_NOTE(PDINTLV, Type_).from(a).from(b).to(low).to(high);                       \
    }
PTO_DETAIL_OF_WIDTH(b8, PTOSIM_U8)
PTO_DETAIL_OF_WIDTH(b16, PTOSIM_U16)
PTO_DETAIL_OF_WIDTH(b32, PTOSIM_U32)
#undef PTO_DETAIL_OF_WIDTH
#define PTO_DETAIL_LOGIC(Name_, Row_)                                                           \
    inline void Name_(vector_bool& dst, const vector_bool& a, const vector_bool& b,             \
                      const vector_bool& mask, PTO_DETAIL_HERE) {                               \
        PTO_DETAIL_NOTE(Row_, PTOSIM_U8).from(a).from(b).masked(mask).to(dst);                  \
    }
PTO_DETAIL_LOGIC(pand, PAND)
PTO_DETAIL_LOGIC(por, POR)
PTO_DETAIL_LOGIC(pxor, PXOR)
#undef PTO_DETAIL_LOGIC
inline void pnot(vector_bool& dst, const vector_bool& src, const vector_bool& mask,
                 PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PNOT, PTOSIM_U8).from(src).masked(mask).to(dst);
}
inline void psel(vector_bool& dst, const vector_bool& a, const vector_bool& b,
                 const vector_bool& chosen, PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PSEL, PTOSIM_U8).from(a).from(b).from(chosen).to(dst);
}
inline void pmov(vector_bool& dst, const vector_bool& src, const vector_bool& mask,
                 PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PMOV, PTOSIM_U8).from(src).masked(mask).to(dst);
}
inline void pmov(vector_bool& dst, const vector_bool& src) { dst = src; }
inline void ppack(vector_bool& dst, const vector_bool& src, PTO_DETAIL_WAY(Half) half,
                  PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PPACK, PTOSIM_U8).from(src).mode(static_cast<uint8_t>(half)).to(dst);
}
inline void punpack(vector_bool& dst, const vector_bool& src, PTO_DETAIL_WAY(Half) half,
                    PTO_DETAIL_HERE) {
    PTO_DETAIL_NOTE(PUNPACK, PTOSIM_U8).from(src).mode(static_cast<uint8_t>(half)).to(dst);
}

// The magnitude of a difference, as two operations: the difference is rounded once (asc-devkit's AbsSub, of f16 and f32).
template <class D_, class A_, class B_>
void vabsdif(D_&& dst, A_&& a, B_&& b, const vector_bool& mask, PTO_DETAIL_MASKING, PTO_DETAIL_HERE) {
    std::decay_t<D_> difference;
    vsub(difference, a, b, mask, MODE_ZEROING, where);
    vabs(dst, difference, mask, masking, where);
}

#undef PTO_DETAIL_HERE
#undef PTO_DETAIL_NOTE
#undef PTO_DETAIL_ELEMENT
#undef PTO_DETAIL_SAME
#undef PTO_DETAIL_MASKING
#undef PTO_DETAIL_WAY
#undef PTO_DETAIL_TYPE

#ifndef PTOSIM_ADDRESS_SPACES
namespace pto {
// A predicate with the first `count` lanes of T_ set; the count is reduced to the remainder.
template <class T_>
MaskReg CreatePredicate(uint32_t& count) {
    if constexpr (sizeof(T_) == 1)
        return plt_b8(count, POST_UPDATE);
    else if constexpr (sizeof(T_) == 2)
        return plt_b16(count, POST_UPDATE);
    else
        return plt_b32(count, POST_UPDATE);
}
}  // namespace pto
#endif
