import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { Tool } from '@parley/contract/tools'
import { ArrowDown, ArrowUp, Copy, Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { useFieldProblem } from '../../components/field.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { useText } from '../../lib/language.ts'
import { ToolDialog } from './tool-dialog.tsx'
import { copyTool, createTool, getToolKind, TOOL_KINDS, TOOL_TYPES } from './tool-kinds.ts'

export interface ToolListProps {
  readonly tools: readonly Tool[]
  readonly onChange: (tools: Tool[]) => void
  readonly disabled: boolean
  /** Path in the request body, such as `general_tools`. */
  readonly name: string
  readonly mcps: readonly McpServerSetting[]
  /** Variables for test runs. */
  readonly variables: Readonly<Record<string, string>>
  /** LLM configuration that stores the tools' secrets; empty for a new configuration. */
  readonly secretsFrom: string
}

interface EditedTool {
  readonly index: number
  readonly tool: Tool
}

/** Lists tools in order so that users can edit, copy, move, and remove them. */
export function ToolList({ tools, onChange, disabled, name, mcps, variables, secretsFrom }: ToolListProps) {
  const t = useText()
  const [edited, setEdited] = useState<EditedTool | null>(null)
  const names = tools.map((tool) => tool.name)
  const save = (tool: Tool): void => {
    if (edited === null) return
    onChange([...tools.slice(0, edited.index), tool, ...tools.slice(edited.index + 1)])
    setEdited(null)
  }
  return (
    <div className="flex min-w-0 flex-col gap-3" data-field={name}>
      {tools.length > 0 && (
        <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
          {tools.map((tool, index) => (
            <ToolRow
              // biome-ignore lint/suspicious/noArrayIndexKey: names can change and can be duplicated while editing.
              key={index}
              tool={tool}
              name={`${name}[${index}]`}
              onEdit={() => setEdited({ index, tool })}
              items={disabled ? [] : buildRowItems({ tools, index, onChange, t })}
            />
          ))}
        </ol>
      )}
      {!disabled && (
        <Menu
          trigger={
            <Button icon={Plus} className="w-fit">
              {t('Add tool')}
            </Button>
          }
          items={TOOL_TYPES.map((type) => ({
            label: t(TOOL_KINDS[type].label),
            icon: TOOL_KINDS[type].icon,
            onSelect: () => setEdited({ index: tools.length, tool: createTool(type, names) }),
          }))}
        />
      )}
      {edited && (
        <ToolDialog
          tool={edited.tool}
          name={`${name}[${edited.index}]`}
          onSave={save}
          onClose={() => setEdited(null)}
          disabled={disabled}
          mcps={mcps}
          variables={variables}
          secretsFrom={secretsFrom}
        />
      )}
    </div>
  )
}

interface RowItems {
  readonly tools: readonly Tool[]
  readonly index: number
  readonly onChange: (tools: Tool[]) => void
  readonly t: (text: string) => string
}

function buildRowItems({ tools, index, onChange, t }: RowItems): MenuItem[] {
  const tool = tools[index]
  if (tool === undefined) return []
  const otherTools = tools.filter((_item, toolIndex) => toolIndex !== index)
  const moveTo = (position: number): void =>
    onChange([...otherTools.slice(0, position), tool, ...otherTools.slice(position)])
  const createCopy = (): Tool =>
    copyTool(
      tool,
      tools.map(({ name }) => name),
    )
  return [
    {
      label: t('Duplicate'),
      icon: Copy,
      onSelect: () => onChange([...tools.slice(0, index + 1), createCopy(), ...tools.slice(index + 1)]),
    },
    { label: t('Move up'), icon: ArrowUp, disabled: index === 0, onSelect: () => moveTo(index - 1) },
    { label: t('Move down'), icon: ArrowDown, disabled: index === tools.length - 1, onSelect: () => moveTo(index + 1) },
    { label: t('Remove'), icon: Trash2, kind: 'danger', onSelect: () => onChange(otherTools) },
  ]
}

interface ToolRowProps {
  readonly tool: Tool
  readonly name: string
  readonly onEdit: () => void
  readonly items: readonly MenuItem[]
}

function ToolRow({ tool, name, onEdit, items }: ToolRowProps) {
  const t = useText()
  const problem = useFieldProblem(name)
  const { label, icon: Icon } = getToolKind(tool.type)
  const displayName = tool.name || t('Unnamed')
  return (
    <li className="flex min-w-0 items-start gap-3 px-3 py-2.5">
      <Icon aria-hidden="true" className="mt-1 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <button type="button" dir="auto" className="min-w-0 text-start font-medium hover:underline" onClick={onEdit}>
            {displayName}
          </button>
          <Badge>{t(label)}</Badge>
        </div>
        {tool.description && (
          <p dir="auto" className="line-clamp-2 text-muted">
            {tool.description}
          </p>
        )}
        {problem !== null && (
          <p role="alert" dir="auto" className="text-bad">
            {problem}
          </p>
        )}
      </div>
      <IconButton icon={Pencil} label={t('Edit {name}', { name: displayName })} onClick={onEdit} className="-my-0.5" />
      {items.length > 0 && (
        <Menu
          items={items}
          trigger={
            <IconButton
              icon={Ellipsis}
              label={t('Actions for {name}', { name: displayName })}
              className="-my-0.5 -ms-2"
            />
          }
        />
      )}
    </li>
  )
}
