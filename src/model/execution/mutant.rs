//! Small faults made on purpose, to see which tests notice.

/// A mutant: one instruction of a class under test, changed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mutant {
    /// Number of the class among those that are instrumented.
    pub class: u32,
    /// Index among the methods of the class file.
    pub method: u16,
    /// The instruction, by its offset in the unchanged code.
    pub pc: u16,
    /// Which change is made; it fits the instruction.
    pub mutator: Mutator,
}

/// A kind of change to an instruction: PIT's default mutators, with PIT's names.
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
}

impl Mutator {
    /// All of them, in the order of the enum.
    pub const ALL: [Mutator; 11] = [
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
    ];

    /// As PIT's reports have it.
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
        }
    }
}
