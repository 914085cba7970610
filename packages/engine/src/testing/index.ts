export { findTurnGrammarProblem } from './check-turn-grammar.ts'
export {
  buildScenarioConversation,
  joinStreamedText,
  playTurn,
  runScenario,
  SCENARIO_DEADLINES,
  type Scenario,
  type ScenarioOptions,
  selectEvents,
  startScenario,
} from './dialogue-scenario.ts'
export { createManualClock, flushPromises, type ManualClock } from './manual-clock.ts'
export {
  callTools,
  createScriptedModel,
  failWith,
  replyWith,
  type ScriptedEvent,
  type ScriptedModel,
  type ScriptedStep,
} from './scripted-model.ts'
export {
  createHttpOutcome,
  createScriptedHttpTools,
  type ScriptedHttpTools,
  type ScriptedOutcome,
} from './scripted-ports.ts'
