export { findTurnGrammarProblem as turnGrammarProblem } from './check-turn-grammar.ts'
export {
  buildScenarioConversation as scenarioConversation,
  joinStreamedText as streamedText,
  playTurn,
  runScenario,
  SCENARIO_DEADLINES,
  type Scenario,
  type ScenarioOptions,
  selectEvents as eventsOf,
  startScenario,
} from './dialogue-scenario.ts'
export { createManualClock as manualClock, flushPromises as settle, type ManualClock } from './manual-clock.ts'
export {
  callTools as callsTools,
  createScriptedModel as scriptedModel,
  failWith as failsWith,
  replyWith as says,
  type ScriptedEvent,
  type ScriptedModel,
  type ScriptedStep,
} from './scripted-model.ts'
export {
  createHttpOutcome as answersWith,
  createScriptedHttpTools as scriptedHttpTools,
  type ScriptedHttpTools,
  type ScriptedOutcome,
} from './scripted-ports.ts'
