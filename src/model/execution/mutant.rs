//! Small faults made on purpose, to see which tests notice.

/// A mutant: one instruction of a class under test, changed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mutant {
    /// Number of the class among those that are instrumented.
    pub class: u32,
    /// Index among the methods of the class file.
    pub method: u16,
    /// The instruction, by its offset in the unchanged code; for [`Mutator::EnumData`], which field of which constant: fields
    /// are counted in their order, and all of them again for each constant.
    pub pc: u16,
    /// Which change is made; it fits the instruction.
    pub mutator: Mutator,
}

/// A kind of change to an instruction: PIT's default mutators, and further ones that are nearer to what people do wrong.
/// Tests are chosen by all of them; only the default ones are reported, so that scores compare with PIT's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutator {
    /// `<` becomes `<=`.
    ConditionalsBoundary,
    /// `==` becomes `!=`.
    NegateConditionals,
    /// `+` becomes `-`.
    Math,
    /// `i++` becomes `i--`.
    Increments,
    /// `-a` becomes `a`.
    InvertNegs,
    /// Returns an empty string, collection or optional, or a boxed zero.
    EmptyReturns,
    /// Returns false, as a primitive or boxed.
    FalseReturns,
    /// Returns true, as a primitive or boxed.
    TrueReturns,
    /// Returns null, where no empty value fits the type.
    NullReturns,
    /// Returns zero.
    PrimitiveReturns,
    /// The call of a method without result is left out.
    VoidMethodCalls,
    /// A call is left out, and its result is 0, false or null.
    NonVoidMethodCalls,
    /// `a.plus(b)` becomes `a`, where the result is of the class of `a`.
    NakedReceiver,
    /// `max(a, b)` becomes `a`, and `a.min(b)` becomes `b`, of the same type as the result.
    ArgumentPropagation,
    /// An assignment to a field is left out.
    MemberVariable,
    /// A number in the code becomes the next one, and true becomes false.
    InlineConstants,
    /// `a + b` becomes `a`, and so do other operations.
    FirstOperand,
    /// `a + b` becomes `b`, and so do other operations.
    SecondOperand,
    /// Another `RoundingMode` is taken: half to the even digit instead of half up, down instead of up.
    Rounding,
    /// Another `RoundingMode` is taken: what was rounded is cut off.
    Truncation,
    /// A parameter or local variable is read instead of another one of the same type.
    WrongVariable,
    /// `a.isAfter(b)` becomes `!a.isBefore(b)`, which is true of equal ones, and the other way round.
    TimeBoundary,
    /// A call is left out, and its result is true.
    TrueCalls,
    /// Another field of the same type is read or assigned, of the same object.
    WrongField,
    /// Another method is called, which is easily taken for it: `anyMatch` for `allMatch` of the platform, or one getter of the
    /// class for another.
    SiblingCalls,
    /// A field reads as an empty collection, map or optional.
    EmptyField,
    /// A comparison is left out, and what it guards happens in any case: PIT's `REMOVE_CONDITIONALS` of the kinds `EQUAL_IF` and
    /// `ORDER_IF`.
    ForgottenCondition,
    /// What a comparison guards never happens: PIT's `REMOVE_CONDITIONALS` of the kinds `EQUAL_ELSE` and `ORDER_ELSE`.
    ForgottenCase,
    /// A field of an enum constant has the value that it has in another constant.
    EnumData,
    /// A field of the type of an enum reads as the enum's first constant.
    EnumField,
    /// A text that the code loads lacks its last UTF-16 unit.
    TextConstant,
    /// A static `max(a, b)` becomes `b`, of the same type as the result.
    LastArgument,
}

impl Mutator {
    /// All of them, in the order of the enum.
    pub const ALL: [Mutator; 32] = [
        Mutator::ConditionalsBoundary,
        Mutator::NegateConditionals,
        Mutator::Math,
        Mutator::Increments,
        Mutator::InvertNegs,
        Mutator::EmptyReturns,
        Mutator::FalseReturns,
        Mutator::TrueReturns,
        Mutator::NullReturns,
        Mutator::PrimitiveReturns,
        Mutator::VoidMethodCalls,
        Mutator::NonVoidMethodCalls,
        Mutator::NakedReceiver,
        Mutator::ArgumentPropagation,
        Mutator::MemberVariable,
        Mutator::InlineConstants,
        Mutator::FirstOperand,
        Mutator::SecondOperand,
        Mutator::Rounding,
        Mutator::Truncation,
        Mutator::WrongVariable,
        Mutator::TimeBoundary,
        Mutator::TrueCalls,
        Mutator::WrongField,
        Mutator::SiblingCalls,
        Mutator::EmptyField,
        Mutator::ForgottenCondition,
        Mutator::ForgottenCase,
        Mutator::EnumData,
        Mutator::EnumField,
        Mutator::TextConstant,
        Mutator::LastArgument,
    ];

    /// PIT's default mutators: those up to the last one of them in the enum.
    pub const DEFAULTS: &'static [Mutator] = {
        const ALL: &[Mutator] = &Mutator::ALL;
        ALL.split_at(Mutator::VoidMethodCalls as usize + 1).0
    };

    /// Whether PIT has it among its default mutators.
    pub fn is_default(self) -> bool {
        Mutator::DEFAULTS.contains(&self)
    }

    /// As PIT's reports have it; PIT has none of the last fourteen under these names.
    pub fn name(self) -> &'static str {
        match self {
            Mutator::ConditionalsBoundary => "CONDITIONALS_BOUNDARY",
            Mutator::NegateConditionals => "NEGATE_CONDITIONALS",
            Mutator::Math => "MATH",
            Mutator::Increments => "INCREMENTS",
            Mutator::InvertNegs => "INVERT_NEGS",
            Mutator::EmptyReturns => "EMPTY_RETURNS",
            Mutator::FalseReturns => "FALSE_RETURNS",
            Mutator::TrueReturns => "TRUE_RETURNS",
            Mutator::NullReturns => "NULL_RETURNS",
            Mutator::PrimitiveReturns => "PRIMITIVE_RETURNS",
            Mutator::VoidMethodCalls => "VOID_METHOD_CALLS",
            Mutator::NonVoidMethodCalls => "NON_VOID_METHOD_CALLS",
            Mutator::NakedReceiver => "EXPERIMENTAL_NAKED_RECEIVER",
            Mutator::ArgumentPropagation => "EXPERIMENTAL_ARGUMENT_PROPAGATION",
            Mutator::MemberVariable => "EXPERIMENTAL_MEMBER_VARIABLE",
            Mutator::InlineConstants => "INLINE_CONSTS",
            Mutator::FirstOperand => "AOD_1",
            Mutator::SecondOperand => "AOD_2",
            Mutator::Rounding => "ROUNDING",
            Mutator::Truncation => "TRUNCATION",
            Mutator::WrongVariable => "WRONG_VARIABLE",
            Mutator::TimeBoundary => "TIME_BOUNDARY",
            Mutator::TrueCalls => "TRUE_CALLS",
            Mutator::WrongField => "WRONG_FIELD",
            Mutator::SiblingCalls => "SIBLING_CALLS",
            Mutator::EmptyField => "EMPTY_FIELD",
            Mutator::ForgottenCondition => "FORGOTTEN_CONDITION",
            Mutator::ForgottenCase => "FORGOTTEN_CASE",
            Mutator::EnumData => "ENUM_DATA",
            Mutator::EnumField => "ENUM_FIELD",
            Mutator::TextConstant => "TEXT_CONSTANT",
            Mutator::LastArgument => "LAST_ARGUMENT",
        }
    }
}
