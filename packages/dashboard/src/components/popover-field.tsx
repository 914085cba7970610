import { ChevronsUpDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { CONTROL_CLASS, Field, type FieldProps } from './field.tsx'

interface PopoverFieldProps extends Omit<FieldProps, 'children'> {
  /** Text of the selected value. */
  readonly displayedValue: string
  /** Accessible name of the choices. */
  readonly choicesLabel: string
  readonly disabled: boolean | undefined
  readonly children: (close: () => void) => ReactNode
}

/** Renders a button that opens choices in a popover. */
export function PopoverField({ displayedValue, choicesLabel, disabled, children, ...field }: PopoverFieldProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Field {...field}>
      {(control) => (
        <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
          <Popover.Trigger asChild>
            <button
              {...control}
              type="button"
              disabled={disabled}
              className={`${CONTROL_CLASS} flex items-center justify-between gap-2 text-start`}
            >
              <span className="min-w-0 truncate" dir="auto">
                {displayedValue}
              </span>
              <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
            </button>
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content
              aria-label={choicesLabel}
              align="start"
              sideOffset={4}
              collisionPadding={8}
              className="z-50 w-[max(16rem,var(--radix-popover-trigger-width))] max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-panel shadow-lg"
            >
              {children(() => setIsOpen(false))}
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
    </Field>
  )
}
