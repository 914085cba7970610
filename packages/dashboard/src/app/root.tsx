import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { signInGate } from '../lib/api/sign-in-gate.ts'
import { useStore } from '../lib/store.ts'

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

/** Renders every page, with a sign-in dialog on top after the session expires. */
export function Root() {
  const isSignedOut = useStore(signInGate)
  return (
    <>
      <Outlet />
      <Suspense>{isSignedOut && <SignInAgain />}</Suspense>
    </>
  )
}
