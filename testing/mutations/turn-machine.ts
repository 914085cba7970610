import type { Mutation } from './mutation.ts'

const area = 'turn-machine'
const MACHINE = 'packages/engine/src/voice/turn-machine'

/** Faults in calls: barge-in, end of turn, reminders and hang-up. */
export const TURN_MACHINE: readonly Mutation[] = [
  {
    id: 'good-bye-interrupted',
    area,
    behavior: 'A caller who speaks over the good-bye keeps the agent from ending the call.',
    before: {
      file: `${MACHINE}/state.ts`,
      find: "if (state.phase !== 'live' || state.generation?.isLast === true) return false",
      replace: "if (state.phase !== 'live') return false",
    },
  },
  {
    id: 'echo-interrupts-agent',
    area,
    behavior: 'The agent stops because it hears its own voice from the speaker of the caller.',
    before: {
      file: `${MACHINE}/on-voice.ts`,
      find: "if (level === 'echo-like') return isAgentAudible(state)",
      replace: "if (level === 'echo-like') return false",
    },
  },
  {
    id: 'sound-silences-agent',
    area,
    behavior: 'The agent falls silent as soon as somebody speaks, and so at every "mhm".',
    before: {
      file: `${MACHINE}/overlap.ts`,
      find: '!hasAgentSpoken(step.state) && !hasOnlyBackchannels(step.state)',
      replace: '!hasOnlyBackchannels(step.state)',
    },
  },
  {
    id: 'yes-taken-for-listening',
    area,
    behavior: 'A "yes" to the question that the agent is about to finish is ignored.',
    before: {
      file: `${MACHINE}/interruption-rules.ts`,
      find: "return speech.isAfterQuestion ? 'answer' : 'backchannel'",
      replace: "return 'backchannel'",
    },
  },
  {
    id: 'answers-before-final-text',
    area,
    behavior: 'The agent answers before a slow recognizer has delivered the last words.',
    before: {
      file: `${MACHINE}/endpointing/end-of-turn.ts`,
      find: 'Math.max(waitMs, wait.isFinal ? 0 : wait.transcriberLimitMs)',
      replace: 'Math.max(waitMs, wait.isFinal ? wait.transcriberLimitMs : 0)',
    },
  },
  {
    id: 'late-words-answered-twice',
    area,
    behavior: 'Words that the recognizer delivers again after the turn are answered a second time.',
    before: {
      file: `${MACHINE}/caller-turn.ts`,
      find: 'consumedUtterances: consumeUtterances(step.state, turn.utterances),',
      replace: 'consumedUtterances: step.state.consumedUtterances,',
    },
  },
  {
    id: 'one-reminder-too-many',
    area,
    behavior: 'A silent caller is reminded once more than the agent is set to.',
    before: {
      file: `${MACHINE}/timeouts.ts`,
      find: 'reminderCount >= settings.reminderMaxCount',
      replace: 'reminderCount > settings.reminderMaxCount',
    },
  },
  {
    id: 'reminders-postpone-hang-up',
    area,
    behavior: 'Each reminder starts the silence anew, so that the call of an absent caller ends far too late.',
    before: {
      file: `${MACHINE}/timeouts.ts`,
      find: 'Math.max(0, settings.endCallAfterSilenceMs - previousSilenceMs)',
      replace: 'settings.endCallAfterSilenceMs',
    },
  },
  {
    id: 'line-stays-open-after-good-bye',
    area,
    behavior: 'After the good-bye the call stays open for another twenty seconds.',
    before: {
      file: `${MACHINE}/apply-consequences.ts`,
      find: "  else if (generation?.isLast === true) endCall(step, 'agent_hangup')\n",
      replace: '',
    },
  },
]
