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
export { type ManualClock, manualClock, settle } from './manual-clock.ts'
export {
  callsTools,
  createScriptedModel as scriptedModel,
  failsWith,
  type ScriptedEvent,
  type ScriptedModel,
  type ScriptedStep,
  says,
} from './scripted-model.ts'
export {
  answersWith,
  createScriptedHttpTools as scriptedHttpTools,
  type ScriptedHttpTools,
  type ScriptedOutcome,
} from './scripted-ports.ts'
