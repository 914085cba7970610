export { turnGrammarProblem } from './check-turn-grammar.ts'
export {
  eventsOf,
  playTurn,
  runScenario,
  SCENARIO_DEADLINES,
  type Scenario,
  type ScenarioOptions,
  scenarioConversation,
  startScenario,
  streamedText,
} from './dialogue-scenario.ts'
export { type ManualClock, manualClock, settle } from './manual-clock.ts'
export {
  callsTools,
  failsWith,
  type ScriptedEvent,
  type ScriptedModel,
  type ScriptedStep,
  says,
  scriptedModel,
} from './scripted-model.ts'
export {
  answersWith,
  type ScriptedHttpTools,
  type ScriptedOutcome,
  scriptedHttpTools,
} from './scripted-ports.ts'
