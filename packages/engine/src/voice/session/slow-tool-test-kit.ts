import type { ManualClock } from '../../testing/manual-clock.ts'
import { answersWith, type ScriptedHttpTools, scriptedHttpTools } from '../../testing/scripted-http-tools.ts'

/** A tool that is called once and takes its time: `slowAnswer` answers for it. */
export const SLOW_TOOL = {
  type: 'custom',
  tool_id: 'look',
  name: 'look',
  url: 'http://127.0.0.1/x',
  method: 'POST',
  parameters: { type: 'object', properties: {} },
} as const

/** Answers the one call of `SLOW_TOOL` after so long. */
export function slowAnswer({ clock }: Pick<ManualClock, 'clock'>, durationMs: number): ScriptedHttpTools {
  const answer = () =>
    new Promise<ReturnType<typeof answersWith>>((resolve) => {
      clock.after(durationMs, () => resolve(answersWith({ at: 9 })))
    })
  return scriptedHttpTools({ look: [answer] })
}
