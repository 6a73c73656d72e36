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
    /// The change; it fits the instruction.
    pub operator: Operator,
}

/// What is done to the instruction, by the names that PIT has for its default operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
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

impl Operator {
    /// All of them, in the order of the enum.
    pub const ALL: [Operator; 11] = [
        Operator::ConditionalsBoundary,
        Operator::NegateConditionals,
        Operator::Math,
        Operator::Increments,
        Operator::InvertNegs,
        Operator::EmptyReturns,
        Operator::FalseReturns,
        Operator::TrueReturns,
        Operator::NullReturns,
        Operator::PrimitiveReturns,
        Operator::VoidMethodCalls,
    ];

    /// As PIT's reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Operator::ConditionalsBoundary => "CONDITIONALS_BOUNDARY",
            Operator::NegateConditionals => "NEGATE_CONDITIONALS",
            Operator::Math => "MATH",
            Operator::Increments => "INCREMENTS",
            Operator::InvertNegs => "INVERT_NEGS",
            Operator::EmptyReturns => "EMPTY_RETURNS",
            Operator::FalseReturns => "FALSE_RETURNS",
            Operator::TrueReturns => "TRUE_RETURNS",
            Operator::NullReturns => "NULL_RETURNS",
            Operator::PrimitiveReturns => "PRIMITIVE_RETURNS",
            Operator::VoidMethodCalls => "VOID_METHOD_CALLS",
        }
    }
}
