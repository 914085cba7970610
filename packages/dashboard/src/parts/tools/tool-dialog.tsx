import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { Tool } from '@parley/contract/tools'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { findObjectProblem, useObjectProblemText } from './json-text.ts'
import { getJsonText, isValidDraft, setJsonText, type ToolDraft, ToolFormContext, toToolDraft } from './tool-draft.ts'
import { ToolTypeFields } from './tool-fields.tsx'
import { getToolKind, isTestable } from './tool-kinds.ts'
import { ToolTest } from './tool-test.tsx'
import type { ToolTestInput } from './tool-test-input.ts'

export interface ToolDialogProps {
  readonly tool: Tool
  readonly onSave: (tool: Tool) => void
  readonly onClose: () => void
  readonly disabled: boolean
  /** Path in the request body, such as `general_tools[2]`, which maps errors to fields. */
  readonly name?: string
  readonly mcps?: readonly McpServerSetting[]
  /** Variables for test runs. */
  readonly variables?: Readonly<Record<string, string>>
  /** LLM configuration that stores the tool's secrets. */
  readonly secretsFrom?: string
}

type TabName = 'form' | 'json' | 'test'

/** Renders a tool for editing as a form or JSON, and for testing. */
export function ToolDialog({ tool, onSave, onClose, disabled, name = 'tool', ...context }: ToolDialogProps) {
  const t = useText()
  const [draft, setDraft] = useState<ToolDraft>(() => toToolDraft({ ...tool }))
  const [isConfirmingDiscard, setIsConfirmingDiscard] = useState(false)
  const isEdited = !isJsonEqual(draft.fields, tool) || !isValidDraft(draft)
  const kind = getToolKind(draft.fields.type)
  const applyDraft = (): void => {
    // The server validates the tool when the prompt is saved.
    if (isValidDraft(draft) && !disabled) onSave(draft.fields as unknown as Tool)
  }
  const requestClose = (): void => (isEdited && !disabled ? setIsConfirmingDiscard(true) : onClose())
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={requestClose}
      title={typeof draft.fields.name === 'string' && draft.fields.name !== '' ? draft.fields.name : t('Tool')}
      description={`${t(kind.label)} — ${t(kind.help)}`}
      actions={
        <DialogActions
          isConfirmingDiscard={isConfirmingDiscard && isEdited}
          canApply={isValidDraft(draft)}
          disabled={disabled}
          onApply={applyDraft}
          onClose={requestClose}
          onDiscard={onClose}
          onKeepEditing={() => setIsConfirmingDiscard(false)}
        />
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles hotkeys before the page does. */}
      <div
        className="flex min-w-0 flex-col gap-4"
        onKeyDown={(event) => {
          if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
          event.preventDefault()
          applyDraft()
        }}
      >
        <ToolFormContext value={{ draft, onChange: setDraft, disabled, name }}>
          <ToolTabs draft={draft} onChange={setDraft} disabled={disabled} {...context} />
        </ToolFormContext>
      </div>
    </Dialog>
  )
}

interface ToolTabsProps extends Pick<ToolDialogProps, 'mcps' | 'variables' | 'secretsFrom' | 'disabled'> {
  readonly draft: ToolDraft
  readonly onChange: Dispatch<SetStateAction<ToolDraft>>
}

function ToolTabs({ draft, onChange, disabled, mcps = [], variables = {}, secretsFrom }: ToolTabsProps) {
  const t = useText()
  const can = useCan()
  const [tab, setTab] = useState<TabName>('form')
  const [testInput, setTestInput] = useState<ToolTestInput | null>(null)
  const { type } = draft.fields
  const serverNames = mcps.map((server) => server.mcp_id ?? server.name)
  return (
    <Tabs
      label={t('Tool')}
      value={tab}
      onChange={setTab}
      tabs={[
        {
          name: 'form',
          label: t('Form'),
          content: <FormTab draft={draft} type={type} servers={serverNames} onFix={() => setTab('json')} />,
        },
        {
          name: 'json',
          label: 'JSON',
          content: <ToolJsonTab draft={draft} onChange={onChange} disabled={disabled} />,
        },
        ...(isTestable(type) && can('testTool')
          ? [
              {
                name: 'test' as const,
                label: t('Test'),
                content: (
                  <ToolTest
                    draft={draft}
                    input={testInput}
                    onInput={setTestInput}
                    mcps={mcps}
                    variables={variables}
                    secretsFrom={secretsFrom}
                  />
                ),
              },
            ]
          : []),
      ]}
    />
  )
}

interface FormTabProps {
  readonly draft: ToolDraft
  readonly type: unknown
  readonly servers: readonly string[]
  readonly onFix: () => void
}

/** Renders the form, or explains why the JSON cannot be displayed as a form. */
function FormTab({ draft, type, servers, onFix }: FormTabProps) {
  const t = useText()
  const formatProblem = useObjectProblemText()
  const problem = draft.text === null ? null : findObjectProblem(draft.text)
  if (problem !== null) {
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="alert" className="text-bad">
          {t('The form cannot display invalid JSON. Your text is kept.')} {formatProblem(problem)}
        </p>
        <Button onClick={onFix}>{t('Back to JSON')}</Button>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <ToolTypeFields key={String(type)} type={type} servers={servers} />
    </div>
  )
}

interface DialogActionsProps {
  readonly isConfirmingDiscard: boolean
  readonly canApply: boolean
  readonly disabled: boolean
  readonly onApply: () => void
  readonly onClose: () => void
  readonly onDiscard: () => void
  readonly onKeepEditing: () => void
}

function DialogActions({
  isConfirmingDiscard,
  canApply,
  disabled,
  onApply,
  onClose,
  onDiscard,
  onKeepEditing,
}: DialogActionsProps) {
  const t = useText()
  if (disabled) return <Button onClick={onClose}>{t('Close')}</Button>
  if (isConfirmingDiscard) {
    return (
      <>
        <p role="alert" className="me-auto self-center">
          {t('Your changes are not applied yet.')}
        </p>
        <Button onClick={onDiscard}>{t('Discard changes')}</Button>
        <Button kind="primary" onClick={onKeepEditing}>
          {t('Keep editing')}
        </Button>
      </>
    )
  }
  return (
    <>
      {!canApply && <p className="me-auto self-center text-muted">{t('Fix the JSON first.')}</p>}
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button kind="primary" disabled={!canApply} onClick={onApply}>
        {t('Apply')}
      </Button>
    </>
  )
}

/** Renders the entire tool as JSON, including unknown fields. */
function ToolJsonTab({
  draft,
  onChange,
  disabled,
}: {
  readonly draft: ToolDraft
  readonly onChange: (change: (draft: ToolDraft) => ToolDraft) => void
  readonly disabled: boolean
}) {
  const t = useText()
  const formatProblem = useObjectProblemText()
  const text = getJsonText(draft)
  const problem = findObjectProblem(text)
  return (
    <CodeField
      label={t('Tool as JSON')}
      language="json"
      minHeight="24rem"
      value={text}
      onChange={(newText) => onChange((current) => setJsonText(current, newText))}
      disabled={disabled}
      {...(problem !== null && { error: formatProblem(problem) })}
    />
  )
}
