export { diffPlans } from './diff/diff-plans.ts';
export type { ChangeRisk, ChangeValue, PlanChange, PlanDiff } from './diff/plan-diff.ts';
export { renderPlanDiff } from './diff/render-plan-diff.ts';
export { explainPlan } from './explain/explain-plan.ts';
export { explanationToMermaid } from './explain/explanation-to-mermaid.ts';
export type {
  ExplainedAlternative,
  ExplainedArtifact,
  ExplainedBudget,
  ExplainedCapability,
  ExplainedDemand,
  ExplainedEnd,
  ExplainedPrompt,
  ExplainedStep,
  ExplainedWait,
  PlanExplanation,
} from './explain/plan-explanation.ts';
export { renderExplanation } from './explain/render-explanation.ts';
export { type RenderOptions, renderDiagnostics } from './render/render-diagnostics.ts';
export { type SarifOptions, toSarif } from './render/to-sarif.ts';
