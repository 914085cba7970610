import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowRight, TriangleAlert } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { ConflictDialog } from '../../components/editing/conflict-dialog.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import type { Answer } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { BackToFlows } from './back-to-flows.tsx'
import { FlowActions } from './flow-actions.tsx'
import type { FlowDocument } from './flow-document.ts'
import { useFieldName } from './flow-field-names.ts'
import { FlowJson, type Going } from './flow-json.tsx'
import { FlowNodes } from './flow-nodes.tsx'
import { graphsOf, pathOfWarning } from './flow-outline.ts'
import { type FlowProblem, FlowProblems } from './flow-problems.tsx'
import type { FlowSearch, FlowTab } from './flow-search.ts'
import { FlowSettings } from './flow-settings.tsx'
import { useFlowCheck } from './use-flow-check.ts'
import { type FlowEditing, useFlowEditor } from './use-flow-editor.ts'

/** The same list at every look, so that nothing is marked anew. */
const NONE: readonly never[] = []

/** A flow in three forms of the same text: its nodes, its settings, and the JSON itself. */
export function FlowEditor({ flowId, answer }: { readonly flowId: string; readonly answer: Answer<ConversationFlow> }) {
  const t = useText()
  const isAllowed = useMay()('updateConversationFlow')
  const editing = useFlowEditor(flowId, answer)
  const { draft, saving, read, refusal } = editing
  const shown = useShownPart(flowId)
  const nameOf = useFieldName()
  const document = 'document' in read ? read.document : null
  const check = useFlowCheck(flowId, document)
  const refused = refusal?.details ?? NONE
  const errors = check === null || check.errors.length === 0 ? refused : check.errors
  const problems = useMemo(
    () => problemsOf(document ?? {}, { errors, warnings: check?.warnings ?? NONE }),
    [document, errors, check],
  )

  return (
    <Page
      title={nameIn(document) ?? t('Conversation flow')}
      above={<BackToFlows />}
      beside={<FlowState flow={answer.value} />}
      actions={
        <>
          <FlowActions flow={answer.value} beforePublish={editing.save} />
          {isAllowed && <DraftBar draft={draft} saving={saving} onSave={editing.save} />}
        </>
      }
    >
      {refusal !== null && <ProblemNote problem={refusal} />}
      <FlowParts
        editing={editing}
        shown={shown}
        errors={errors}
        warnings={check?.warnings ?? NONE}
        disabled={!isAllowed}
      />
      {document === null
        ? shown.tab === 'json' && <FlowBroken onGo={shown.goToFault} />
        : (check !== null || problems.length > 0) && (
            <FlowProblems problems={problems} failure={check?.failure ?? null} onGo={shown.go} />
          )}
      <Conflict editing={editing} nameOf={nameOf} />
    </Page>
  )
}

/** The name as it is being edited. */
function nameIn(document: FlowDocument | null): string | null {
  const name = document?.['display_name']
  return typeof name === 'string' && name.trim() !== '' ? name : null
}

interface FlowPartsProps {
  readonly editing: FlowEditing
  readonly shown: ShownPart
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly string[]
  readonly disabled: boolean
}

/** The same document as nodes, as a form and as text. */
function FlowParts({ editing: { draft, read, change }, shown, errors, warnings, disabled }: FlowPartsProps) {
  const t = useText()
  const document = 'document' in read ? read.document : null
  return (
    <Tabs<FlowTab>
      label={t('Parts of the flow')}
      value={shown.tab}
      onChange={shown.open}
      tabs={[
        {
          name: 'nodes',
          label: t('Nodes'),
          content: withDocument(document, shown.goToFault, (known) => (
            <FlowNodes graphs={graphsOf(known)} warnings={warnings} onGo={shown.go} />
          )),
        },
        {
          name: 'settings',
          label: t('Settings'),
          content: withDocument(document, shown.goToFault, (known) => (
            <FlowSettings
              document={known}
              onChange={change}
              nodes={graphsOf(known)[0]?.nodes ?? []}
              details={errors}
              disabled={disabled}
            />
          )),
        },
        {
          name: 'json',
          label: <JsonLabel count={document === null ? 1 : errors.length} />,
          content: (
            <FlowJson
              text={draft.value.text}
              onChange={(text) => draft.set({ text })}
              errors={errors}
              going={shown.going}
              disabled={disabled}
            />
          ),
        },
      ]}
    />
  )
}

/** Tells on every part of the page that there is something to mend. */
function JsonLabel({ count }: { readonly count: number }) {
  const t = useText()
  return (
    <span className="flex items-center gap-1.5">
      JSON
      {count > 0 && (
        <Badge tone="bad">
          <span aria-hidden="true">{count}</span>
          <span className="sr-only">{t('{count, plural, one {# problem} other {# problems}}', { count })}</span>
        </Badge>
      )}
    </span>
  )
}

function withDocument(
  document: FlowDocument | null,
  goToFault: () => void,
  show: (document: FlowDocument) => ReactNode,
) {
  return document === null ? <FlowBroken onGo={goToFault} /> : show(document)
}

function Conflict({
  editing: { saving, conflict, conflictEdits, resolve },
  nameOf,
}: {
  readonly editing: FlowEditing
  readonly nameOf: (field: string) => string
}) {
  return (
    <ConflictDialog
      conflict={conflict}
      edits={conflictEdits}
      nameOf={nameOf}
      onResolve={resolve}
      onPostpone={saving.postpone}
    />
  )
}

/** Which version is edited, and what became of it. */
function FlowState({ flow }: { readonly flow: ConversationFlow }) {
  const t = useText()
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <CopyText text={flow.conversation_flow_id} />
      <span className="flex items-center gap-2">
        <span>{t('Version {version}', { version: flow.version })}</span>
        {flow.is_published ? (
          <Badge tone="good">{t('Published')}</Badge>
        ) : flow.is_frozen ? (
          <Badge>{t('In use')}</Badge>
        ) : (
          <Badge tone="warn">{t('Draft')}</Badge>
        )}
      </span>
    </span>
  )
}

interface ShownPart {
  readonly tab: FlowTab
  readonly going: Going | null
  open(name: FlowTab): void
  /** Shows the place of a path in the JSON. */
  go(path: string): void
  /** Shows where the text stops being JSON. */
  goToFault(): void
}

/** The part of the page that the address names, and the ways to another. */
function useShownPart(flowId: string): ShownPart {
  const { tab = 'nodes', at } = useSearch({ strict: false }) as FlowSearch
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [going, setGoing] = useState<Going | null>(at === undefined ? null : { path: at, step: 0 })
  const show = (search: FlowSearch): void =>
    void navigate({
      to: '/$workspaceId/flows/$flowId',
      params: { workspaceId, flowId },
      search,
      replace: search.tab === tab,
      resetScroll: false,
    })
  const goTo = (path: string | null): void => {
    setGoing((before) => ({ path, step: (before?.step ?? 0) + 1 }))
    show({ tab: 'json', ...(path !== null && path !== '' && { at: path }) })
  }
  return {
    tab,
    going,
    open(name: FlowTab): void {
      setGoing(null)
      show(name === 'nodes' ? {} : { tab: name })
    },
    go: (path: string): void => goTo(path),
    goToFault: (): void => goTo(null),
  }
}

/** What the server says of a document as a list, each once, each with the way there where one is known. */
function problemsOf(
  document: FlowDocument,
  { errors, warnings }: { readonly errors: readonly ErrorDetail[]; readonly warnings: readonly string[] },
): FlowProblem[] {
  const all: FlowProblem[] = [
    ...errors.map(({ path, message }) => ({ kind: 'error' as const, path, text: message })),
    ...warnings.map((text) => ({ kind: 'warning' as const, path: pathOfWarning(document, text), text })),
  ]
  const byText = new Map(all.map((problem) => [`${problem.kind} ${problem.path} ${problem.text}`, problem]))
  return [...byText.values()]
}

/** In the place of everything that needs a text that is JSON. */
function FlowBroken({ onGo }: { readonly onGo: () => void }) {
  const t = useText()
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-bad-soft px-3 py-2.5 text-bad"
    >
      <TriangleAlert aria-hidden="true" className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-60">
        {t('The text of the flow is no JSON yet: a comma, a quote or a bracket is wrong.')}
      </p>
      <Button icon={ArrowRight} onClick={onGo} className="text-ink">
        {t('Go there')}
      </Button>
    </div>
  )
}
