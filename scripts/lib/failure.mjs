/** A failure with a cause outside of the scripts: its message is a sentence for a person that says what to do next. */
export class Failure extends Error {
  name = 'Failure';
}

const REASONS = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in the way',
};

/** What a file error says in a sentence, or undefined when it is no such error. */
export function fileFailure(error) {
  const reason = REASONS[error?.code];
  if (!reason || !error.path) return undefined;
  return new Failure(`Cannot write to ${error.dest ?? error.path}: ${reason}. Use a folder that you may write to.`);
}
