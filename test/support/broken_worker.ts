throw new Error('broken while it loads');
