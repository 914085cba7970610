import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWorkspaceId } from '../lib/workspace.ts'

export function BackLink({ children, ...link }: Omit<LinkProps, 'children'> & { readonly children: ReactNode }) {
  return (
    <Link {...link} className="inline-flex min-h-8 w-fit max-w-full items-center gap-1.5 text-muted hover:text-ink">
      <ArrowLeft aria-hidden="true" className="size-4 shrink-0 rtl:-scale-x-100" />
      <span className="min-w-0 truncate" dir="auto">
        {children}
      </span>
    </Link>
  )
}

interface BackToListProps {
  readonly to: `/$workspaceId/${'calls' | 'chats' | 'test-cases' | 'knowledge' | 'numbers' | 'llms' | 'flows' | 'webhooks'}`
  readonly children: ReactNode
}

/** Links back to one of the workspace's lists. */
export function BackToList({ to, children }: BackToListProps) {
  return (
    <BackLink to={to} params={{ workspaceId: useWorkspaceId() }}>
      {children}
    </BackLink>
  )
}
