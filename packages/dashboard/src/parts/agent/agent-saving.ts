import type { Llm } from '@parley/contract/llm'
import { useMemo, useState } from 'react'
import { Problem } from '../../lib/api/problem.ts'
import type { Draft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import type { Saving } from '../../lib/editing/save.ts'
import type { AgentApi, AgentTarget, AnyAgent } from './agent-kind.ts'
import { problemOfPart, type SaveOutcome, saveDraft } from './save-agent.ts'

type RecordSaving<Value extends object> = Pick<Saving<Value>, 'problem' | 'conflict' | 'resolve' | 'postpone'>

/** Saving an agent and its LLM configuration as one. */
export interface AgentSaving<Value extends AnyAgent> {
  readonly agent: RecordSaving<Value>
  readonly llm: RecordSaving<Llm>
  readonly isSaving: boolean
  /** Sends all edits; answers what may not work of them, or null when they were not saved. */
  save(): Promise<readonly string[] | null>
}

export interface AgentSavingOptions<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly target: AgentTarget
  readonly agent: Draft<Value>
  readonly llm: Draft<Llm>
}

/** Saves both drafts without ever overwriting what somebody else has saved. */
export function useAgentSaving<Value extends AnyAgent>({
  api,
  target,
  agent,
  llm,
}: AgentSavingOptions<Value>): AgentSaving<Value> {
  const [isSaving, setIsSaving] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [theirs, setTheirs] = useState<Theirs<Value>>({ agent: null, llm: null })
  // Each part keeps its identity while the problem stays: a refusal opens its tab once.
  const problems = useMemo(
    () => ({ agent: problemOfPart(problem, 'agent'), llm: problemOfPart(problem, 'llm') }),
    [problem],
  )

  function settle(outcome: SaveOutcome<Value>, sent: { readonly agent: Partial<Value>; readonly llm: Partial<Llm> }) {
    setProblem(null)
    if (outcome.type === 'conflict') {
      setTheirs(outcome)
      return null
    }
    if (agent.isEdited) agent.settle(sent.agent, outcome.agent)
    if (llm.isEdited && outcome.llm) llm.settle(sent.llm, outcome.llm)
    return outcome.warnings
  }

  async function save(): Promise<readonly string[] | null> {
    if (isSaving) return null
    const sent = { agent: agent.edits, llm: llm.edits }
    setIsSaving(true)
    try {
      const outcome = await saveDraft({ api, target }, { agent: editsOf(agent), llm: editsOf(llm) })
      return settle(outcome, sent)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setProblem(error)
      return null
    } finally {
      setIsSaving(false)
    }
  }

  return {
    save,
    isSaving,
    agent: {
      ...conflictOf(agent, theirs.agent, () => setTheirs((known) => ({ ...known, agent: null }))),
      problem: agent.isEdited || llm.isEdited ? problems.agent : null,
    },
    llm: {
      ...conflictOf(llm, theirs.llm, () => setTheirs((known) => ({ ...known, llm: null }))),
      problem: llm.isEdited ? problems.llm : null,
    },
  }
}

interface Theirs<Value extends AnyAgent> {
  readonly agent: Snapshot<Value> | null
  readonly llm: Snapshot<Llm> | null
}

const editsOf = <Value extends object>({ isEdited, base, edits }: Draft<Value>) => (isEdited ? { base, edits } : null)

function conflictOf<Value extends object>(
  draft: Draft<Value>,
  theirs: Snapshot<Value> | null,
  end: () => void,
): Pick<Saving<Value>, 'conflict' | 'resolve' | 'postpone'> {
  return {
    conflict: theirs && { before: draft.base.value, theirs },
    resolve(choice) {
      if (theirs === null) return
      if (choice === 'keep-mine') draft.rebase(theirs)
      else draft.discard(theirs)
      end()
    },
    postpone: end,
  }
}
